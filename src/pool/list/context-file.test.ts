import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { SagaError } from "../../errors.ts";
import { contextFor, parseContext, readContextFile } from "./context-file.ts";

const FILE = "/project/.claude/saga_task_context.toml";
const EXAMPLE = `
[default]
prologue = """
Follow all coding standards.
"""
epilogue = "Remember to run tests."


[ui]
prologue = "This involves UI components."
`;
const problemsOf = (toml: string): unknown[] =>
  parseContext(FILE, toml).problems.map(({ line, message }) => [line, message]);

const folder = (): string => newFolder().path;
function refusalOf(file: string): SagaError {
  try {
    readContextFile(file);
  } catch (error) {
    if (error instanceof SagaError) return error;
    throw error;
  }
  throw new Error("It was not refused.");
}

describe("the context of a task", () => {
  const { rules, problems } = parseContext(FILE, EXAMPLE);

  it("is the whole section of its label", () => {
    expect(problems).toEqual([]);
    expect(contextFor(rules, "ui")).toEqual({
      prologue: "This involves UI components.",
      epilogue: "",
    });
  });

  it.each([undefined, "default", "backend", "constructor"])(
    "is the default for the label %s",
    (label) => {
      expect(contextFor(rules, label)).toEqual({
        prologue: "Follow all coding standards.\n",
        epilogue: "Remember to run tests.",
      });
    },
  );

  it("is empty if there is no text", () => {
    expect(contextFor(new Map(), "ui")).toEqual({ prologue: "", epilogue: "" });
  });
});

describe("a context file", () => {
  it.each([
    ["what is not TOML", "[ui]\nprologue = nobody", 2, "This is not valid TOML"],
    ["an unknown key", '[ui]\n\nprolog = "x"', 3, "`ui.prolog` is not a known field."],
    ["a number for a text", "[ui]\nepilogue = 3", 2, "must be a string"],
    ["a text for a section", 'ui = "x"', 1, "must be an object"],
    ["a section of a section", '[ui.more]\nprologue = "x"', 1, "`ui.more` is not a known field."],
    ["a label that none can be", '["a b"]\nprologue = "x"', 1, "may only contain letters"],
  ])("may not contain %s", (_, toml, line, message) => {
    expect(problemsOf(toml)).toEqual([[line, expect.stringContaining(message)]]);
  });

  it("is reported with the right line if the same words occur earlier", () => {
    const toml = '[ui]\nprologue = """\n# "\n[ui]\nepilogue = 3\n"""\nepilogue = 3 # """';
    expect(problemsOf(toml)).toEqual([
      [7, expect.stringContaining("`ui.epilogue` must be a string")],
    ]);
  });

  it("is optional", () => {
    expect(readContextFile(join(folder(), "none.toml")).size).toBe(0);
  });

  it("with a mistake is an error with file and line", () => {
    const file = join(folder(), "context.toml");
    writeFileSync(file, "[ui]\nprolog = 1\n");
    const refusal = refusalOf(file);
    expect(refusal.code).toBe("bad-file");
    expect(refusal.message).toContain(`${file}:2: \`ui.prolog\` is not a known field.`);
    expect(refusal.problems).toMatchObject([{ file, line: 2, severity: "error" }]);
  });

  it("that cannot be read is an error with its file", () => {
    const file = join(folder(), "context.toml");
    mkdirSync(file);
    chmodSync(file, 0o700);
    expect(refusalOf(file)).toMatchObject({
      code: "bad-file",
      message: expect.stringContaining(file) as string,
    });
  });
});
