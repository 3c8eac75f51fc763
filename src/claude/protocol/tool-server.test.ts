import { expect, it } from "vitest";
import * as z from "zod";
import { sagaTool } from "../../agent/saga-tool.ts";
import { answerToolMessage, serverManifest } from "./tool-server.ts";

const tools = [
  sagaTool(
    "journal",
    "Records.",
    { title: z.string().min(1), body: z.string().default("") },
    (given) => ({
      text: `${given.title}: ${given.body}`,
      isError: given.title === "wrong",
    }),
  ),
];
const call = (name: string, given: unknown): Promise<object> =>
  answerToolMessage(tools, { id: 3, method: "tools/call", params: { name, arguments: given } });
const text = (words: unknown, isError: boolean): object => ({
  result: { content: [{ type: "text", text: words }], isError },
});

it("describes its tools, with what a call must contain", () => {
  expect(serverManifest(tools)).toMatchObject({
    initializeResult: { serverInfo: { name: "saga" } },
    toolsListResult: {
      tools: [
        {
          name: "journal",
          description: "Records.",
          inputSchema: { type: "object", required: ["title"] },
        },
      ],
    },
  });
});

it("answers when it is asked instead", async () => {
  const manifest = serverManifest(tools) as Record<string, unknown>;
  const ask = (method: string): Promise<object> => answerToolMessage(tools, { id: 1, method });
  expect(await ask("initialize")).toMatchObject({ id: 1, result: manifest["initializeResult"] });
  expect(await ask("tools/list")).toMatchObject({ id: 1, result: manifest["toolsListResult"] });
  expect(await ask("ping")).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
  expect(await ask("resources/list")).toMatchObject({ id: 1, error: { code: -32_601 } });
});

it("runs a tool, and passes on its answer or its error", async () => {
  expect(await call("journal", { title: "a" })).toMatchObject({ id: 3, ...text("a: ", false) });
  expect(await call("journal", { title: "wrong" })).toMatchObject(text("wrong: ", true));
  expect(await call("journal", {})).toMatchObject(text(expect.stringContaining("title"), true));
  expect(await call("other", {})).toMatchObject({ id: 3, error: { message: "Unknown tool." } });
});
