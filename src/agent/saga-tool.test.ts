import * as z from "zod";
import { expect, it } from "vitest";
import { reportBlockerTool, sagaTool, sagaToolName } from "./saga-tool.ts";

it("a tool is named like a tool of the MCP server saga", () => {
  expect(sagaToolName("finish")).toBe("mcp__saga__finish");
});

it("a tool runs with input that matches its schema, and with no other", async () => {
  const double = sagaTool("double", "Doubles.", { n: z.number() }, ({ n }) => ({
    text: `${2 * n}`,
  }));
  expect(await double.run({ n: 2 })).toEqual({ text: "4" });
  await expect(double.run({ n: "2" })).rejects.toThrow("n");
});

it("a question needs a title, and its body may be missing", async () => {
  const questions: object[] = [];
  const tool = reportBlockerTool("Stops the work", async (question) => {
    questions.push(question);
    return "Asked.";
  });
  expect(tool.description).toMatch(/^Stops the work with a question/);
  expect(await tool.run({ title: "Which?" })).toEqual({ text: "Asked." });
  await expect(tool.run({ title: "" })).rejects.toThrow("title");
  expect(questions).toEqual([{ title: "Which?", body: "" }]);
});
