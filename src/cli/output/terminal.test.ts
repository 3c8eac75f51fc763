import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { SagaError, type Problem } from "../../errors.ts";
import { STORY_STATES } from "../../story/state/state.ts";
import {
  block,
  columns,
  describeError,
  describeProblem,
  indent,
  painter,
  plain,
  short,
  stateMark,
  stateName,
} from "./terminal.ts";

const colourless = painter(false);
const colourful = painter(true);

describe("plain", () => {
  it("leaves an ordinary line alone, in any alphabet", () => {
    const line = "Añadir 計画 проект 👍🏽 — “quoted” $(x) `y` 'z'";
    expect(plain(line)).toBe(line);
  });

  it.each([
    ["an escape sequence", "a\u001b[31mb", "a␛[31mb"],
    ["a one-character escape sequence", "a\u009b31mb", "a␛31mb"],
    ["a bell", "a\u0007b", "a␛b"],
    ["a backspace", "a\bb", "a␛b"],
    ["a carriage return", "a\rb", "a␛b"],
    ["a null", "a\u0000b", "a␛b"],
    ["a delete", "a\u007fb", "a␛b"],
    ["a turned reading direction", "a\u202eb", "a␛b"],
    ["an isolated reading direction", "a\u2066b", "a␛b"],
    ["a line separator", "a\u2028b", "a␛b"],
    ["a line break", "a\nb", "a␣b"],
    ["a tab", "a\tb", "a␣b"],
  ])("shows %s as a mark", (_, text, shown) => {
    expect(plain(text)).toBe(shown);
  });
});

describe("block", () => {
  it("keeps line breaks and tabs", () => {
    expect(block("a\n\tb")).toBe("a\n\tb");
  });

  it("shows everything else that controls a terminal as a mark", () => {
    expect(block("a\u001b[2Jb\r\nc")).toBe("a␛[2Jb␛\nc");
  });
});

describe("indent", () => {
  it("moves every line in, and leaves empty ones empty", () => {
    expect(indent("a\n\nb")).toBe("  a\n\n  b");
    expect(indent("a\nb", "> ")).toBe("> a\n> b");
  });

  it("makes the text harmless", () => {
    expect(indent("a\u001b[31m")).toBe("  a␛[31m");
  });
});

describe("painter", () => {
  it("colours only where there are colours", () => {
    expect(colourless("red", "text")).toBe("text");
    expect(stripVTControlCharacters(colourful("red", "text"))).toBe("text");
  });
});

describe("a state", () => {
  it.each(STORY_STATES)("has a mark of one character and its own name: %s", (state) => {
    expect(stateMark(state, colourless)).toHaveLength(1);
    expect(stateName(state, colourless)).toBe(state);
    expect(stateName(state, colourless, 12)).toHaveLength(12);
  });

  it("differs from the others without colours", () => {
    const marks = STORY_STATES.filter((state) => state !== "stalled").map((state) =>
      stateMark(state, colourless),
    );
    expect(new Set(marks).size).toBe(marks.length);
  });
});

describe("columns", () => {
  it("are as wide as their widest cell, and leave no blanks at the end", () => {
    expect(
      columns([
        ["a", "long cell", "x"],
        ["longer", "b", ""],
      ]),
    ).toEqual(["a       long cell  x", "longer  b"]);
  });

  it("can be empty", () => {
    expect(columns([])).toEqual([]);
  });
});

describe("a problem", () => {
  const problem: Problem = {
    file: "/somewhere/project/.saga/stories/s/story.json",
    line: 3,
    column: 5,
    severity: "error",
    message: "`title` is missing.",
    fix: 'Add "title": "…".',
  };

  it("begins with the place, so that editors and terminals can jump there", () => {
    expect(describeProblem(problem, colourless, "/somewhere/project")).toBe(
      '.saga/stories/s/story.json:3:5: error: `title` is missing.\n    Add "title": "…".',
    );
  });

  it("has an absolute path when the file is not below the current folder", () => {
    const described = describeProblem(problem, colourless, "/somewhere/project/src");
    expect(described).toMatch(/^\/somewhere\/project\/\.saga\/stories\/s\/story\.json:3:5: /);
  });

  it("can be a warning without a line", () => {
    const described = describeProblem(
      { ...problem, line: undefined, column: undefined, severity: "warning" },
      colourless,
      "/somewhere/project",
    );
    expect(described).toMatch(/^\.saga\/stories\/s\/story\.json: warning: /);
  });

  it("cannot control the terminal, neither by its file nor by its text", () => {
    const spoilt = {
      ...problem,
      file: "/somewhere/project/a\u001b[31m\nb.json",
      message: "c\u001b[31m\nd.",
      fix: "e\u009b31m\nf.",
    };
    expect(describeProblem(spoilt, colourless, "/somewhere/project")).toBe(
      "a␛[31m␣b.json:3:5: error: c␛[31m␣d.\n    e␛31m␣f.",
    );
  });

  it("has the same text in colours", () => {
    const described = describeProblem(problem, colourful, "/somewhere/project");
    expect(stripVTControlCharacters(described)).toBe(
      describeProblem(problem, colourless, "/somewhere/project"),
    );
  });
});

describe("an error", () => {
  it("says what happened, then the problems, then what to do", () => {
    const error = new SagaError("bad-file", "A file is not valid.", {
      hint: "Correct it.",
      problems: [
        { file: "/p/a.json", severity: "error", message: "It is empty.", fix: "Write it." },
      ],
    });
    expect(describeError(error, colourless, "/p")).toBe(
      "saga: A file is not valid.\na.json: error: It is empty.\n    Write it.\nCorrect it.\n",
    );
  });

  it("can be a single sentence", () => {
    expect(describeError(new SagaError("usage", "No."), colourless, "/p")).toBe("saga: No.\n");
  });

  it("can have several lines", () => {
    const error = new SagaError("not-ready", "It does not pass:\n  one: No.\n  two: No.");
    expect(describeError(error, colourless, "/p")).toBe(
      "saga: It does not pass:\n  one: No.\n  two: No.\n",
    );
  });

  it("cannot control the terminal", () => {
    const error = new SagaError("not-found", "No \u001b[31m\nfile.", { hint: "Try \u009b31m." });
    expect(describeError(error, colourless, "/p")).toBe("saga: No ␛[31m\n  file.\nTry ␛31m.\n");
  });
});

it('a line that is cut keeps its "(and 1 more)"', () => {
  const text = `${"The check failed. ".repeat(10)}(and 1 more)`;
  expect(short(text)).toMatch(/…  ?\(and 1 more\)$/);
  expect(short(text).length).toBeLessThanOrEqual(120);
  expect(short("Little (and 2 more)")).toBe("Little (and 2 more)");
});
