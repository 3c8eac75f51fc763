import { expect, it } from "vitest";
import { newProject } from "../../../test/support/project.ts";
import { layoutOf } from "../../store/project/layout.ts";
import type { Io } from "../program/io.ts";
import { askInitQuestions } from "./ask-questions.ts";

it("asks again after a wrong answer, and writes only what differs from the defaults", async () => {
  const project = newProject();
  project.write("go.mod", "module example.org/shop\n");
  const answers = ["", "sometimes", "never", "", "20"];
  const questions: string[] = [];
  const io = {
    ask: async (question: string) => {
      questions.push(question);
      return answers.shift() ?? "";
    },
    writeError: () => undefined,
  } as unknown as Io;
  expect(await askInitQuestions(io, layoutOf(project.path))).toEqual([
    { key: "plan.checks", value: ["go test ./..."] },
    { key: "git.push", value: "never" },
    { key: "budget.day", value: 20 },
  ]);
  expect(questions).toHaveLength(5);
  expect(questions[0]).toContain("[go test ./...]: ");
  const text = project.read(".saga/config.toml");
  expect(text).toContain('push = "never"');
  expect(text).not.toContain("desktop");
});
