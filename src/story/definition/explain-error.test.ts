import { describe, expect, it } from "vitest";
import * as z from "zod";
import { explain, fieldName, misnamedFields, type FieldProblem } from "./explain-error.ts";
import { runSchema } from "../state/run.ts";
import { configSchema } from "../settings/settings.ts";
import { storySchema } from "./story.ts";
import { taskSchema } from "./task.ts";

const story = { id: "a", title: "A", description: "d" };
const task = { id: "a", subject: "A", description: "d" };
const run = { id: "20261115T214800123Z-1a2b", story: "a", startedAt: "2026-11-15T21:48:00Z" };

function findings(schema: z.ZodType, input: unknown): FieldProblem[] {
  const { error } = schema.safeParse(input);
  return error ? explain(error, input) : [];
}

describe("a problem has a sentence, its path and a fix:", () => {
  it.each<[string, z.ZodType, unknown, FieldProblem["path"], string, string]>([
    [
      "a missing field",
      storySchema,
      { ...story, title: undefined },
      ["title"],
      "`title` is missing.",
      'Add "title": "…".',
    ],
    [
      "a missing list",
      z.object({ children: z.array(z.string()) }),
      {},
      ["children"],
      "`children` is missing.",
      'Add "children": [].',
    ],
    [
      "a missing number",
      z.object({ size: z.object({ files: z.number() }) }),
      { size: {} },
      ["size", "files"],
      "`size.files` is missing.",
      'Add "files": 1.',
    ],
    [
      "a missing choice",
      z.object({ status: z.enum(["pending", "completed"]) }),
      {},
      ["status"],
      "`status` is missing.",
      'Add "status": "pending".',
    ],
    [
      "a missing object",
      z.object({ metadata: z.record(z.string(), z.string()) }),
      {},
      ["metadata"],
      "`metadata` is missing.",
      'Add "metadata": {}.',
    ],
    [
      "text where a list belongs",
      storySchema,
      { ...story, labels: "backend" },
      ["labels"],
      "`labels` must be a list, but is a string.",
      "Use a list, for example [].",
    ],
    [
      "a number where text belongs",
      storySchema,
      { ...story, checks: ["x", 5] },
      ["checks", 1],
      "`checks[1]` must be a string, but is a number.",
      'Use a string, for example "…".',
    ],
    [
      "text where true or false belongs",
      storySchema,
      { ...story, needsReview: "yes" },
      ["needsReview"],
      "`needsReview` must be true or false, but is a string.",
      "Use true or false, for example true.",
    ],
    [
      "text where a number belongs",
      storySchema,
      { ...story, priority: "high" },
      ["priority"],
      "`priority` must be a number, but is a string.",
      "Use a number from 0 (most urgent) to 4.",
    ],
    [
      "null where text belongs",
      storySchema,
      { ...story, guidance: null },
      ["guidance"],
      "`guidance` must be a string, but is null.",
      'Use a string, for example "…".',
    ],
    [
      "a list where the whole must be an object",
      storySchema,
      [],
      [],
      "The file must be an object, but is a list.",
      "Use an object, for example {}.",
    ],
    [
      "an object where text belongs",
      storySchema,
      { ...story, title: {} },
      ["title"],
      "`title` must be a string, but is an object.",
      'Use a string, for example "…".',
    ],
    [
      "a type without a plain name",
      z.object({ since: z.date() }),
      { since: "now" },
      ["since"],
      "`since` must be date, but is a string.",
      'Use date, for example "…".',
    ],
    [
      "a value that is not one of the choices",
      storySchema,
      { ...story, status: "failed" },
      ["status"],
      '`status` must be one of pending, in_progress, completed, but is "failed".',
      "Use one of pending, in_progress, completed.",
    ],
    [
      "a number that is too small",
      taskSchema,
      { ...task, estimatedLines: -1 },
      ["estimatedLines"],
      "`estimatedLines` must be at least 0, but is -1.",
      "Use a value of at least 0.",
    ],
    [
      "a number that is too big",
      storySchema,
      { ...story, priority: 9 },
      ["priority"],
      "`priority` must be at most 4, but is 9.",
      "Use a number from 0 (most urgent) to 4.",
    ],
    [
      "a text that is too long",
      storySchema,
      { ...story, title: "x".repeat(201) },
      ["title"],
      "`title` is longer than 200 characters.",
      "Shorten it.",
    ],
    [
      "a broken pattern",
      storySchema,
      { ...story, labels: ["a b"] },
      ["labels", 0],
      '`labels[0]` ("a b") may only contain letters, digits, dashes and underscores.',
      "Change the value.",
    ],
    [
      "a path outside the project",
      storySchema,
      { ...story, writeFiles: ["src/**", "../x"] },
      ["writeFiles", 1],
      '`writeFiles[1]` ("../x") leads out of the project.',
      'Use a path or pattern below the project\'s top folder, for example "src/**".',
    ],
    [
      "a number that is not a multiple",
      z.object({ size: z.number().multipleOf(5, "is not a multiple of 5") }),
      { size: 7 },
      ["size"],
      "`size` (7) is not a multiple of 5.",
      "Change the value.",
    ],
    [
      "a bad key",
      z.object({ ports: z.record(z.string().regex(/^\d+$/), z.int(), "has a bad key") }),
      { ports: { x: 1 } },
      ["ports", "x"],
      "`ports.x` (1) has a bad key.",
      "Change the value.",
    ],
  ])("%s", (_, schema, input, path, message, fix) => {
    const reason = message.replace(/^(?:`[^`]+`|The file) /, "").replace(/\.$/, "");
    expect(findings(schema, input)).toEqual([{ path, severity: "error", message, reason, fix }]);
  });

  it("a fraction, shown", () => {
    expect(findings(storySchema, { ...story, priority: 2.5 })).toMatchObject([
      { message: "`priority` must be a whole number, but is 2.5." },
    ]);
  });

  it("NaN, which is not called a number", () => {
    const [finding] = findings(configSchema, { size: { max_files: Number.NaN } });
    expect(finding?.message).toMatch(/^`size.max_files` must be /);
    expect(finding?.message).not.toContain("but is a number");
  });

  it("an empty text", () => {
    expect(findings(configSchema, { claude: { path: "" } })).toMatchObject([
      { path: ["claude", "path"], message: "`claude.path` is empty." },
    ]);
  });

  it("an invalid time", () => {
    expect(findings(runSchema, { ...run, startedAt: "yesterday" })).toMatchObject([
      { path: ["startedAt"], message: '`startedAt` must be a time, but is "yesterday".' },
    ]);
  });

  it("a missing field with a misspelled name beside it", () => {
    expect(findings(storySchema, { ...story, title: undefined, titel: "A" })).toMatchObject([
      { path: ["title"], message: "`title` is missing.", fix: 'Rename "titel" to "title".' },
    ]);
  });

  it("an unknown field, at its own path and with a key", () => {
    expect(findings(configSchema, { size: { max_file: 1 } })).toMatchObject([
      {
        path: ["size", "max_file"],
        key: "unknown-field",
        message: "`size.max_file` is not a known field.",
        fix: "Remove it, or correct its name.",
      },
    ]);
  });

  it("each of several unknown fields, because each has a line", () => {
    const messages = findings(configSchema, { one: 1, two: 2 }).map(({ message }) => message);
    expect(messages).toEqual(["`one` is not a known field.", "`two` is not a known field."]);
  });

  it("every invalid field, in the order of the schema", () => {
    expect(findings(storySchema, { title: "", status: 1 }).map(({ path }) => path)).toEqual([
      ["id"],
      ["title"],
      ["description"],
      ["status"],
    ]);
  });
});

describe("an unknown field that is allowed", () => {
  it("is a warning when its name is almost that of a known one", () => {
    expect(misnamedFields({ check: ["x"], checks: [], owner: "me" }, ["checks"])).toEqual([
      {
        path: ["check"],
        severity: "warning",
        key: "unknown-field",
        message: "`check` is not a known field, and has no effect.",
        fix: 'Did you mean "checks"?',
      },
    ]);
  });
});

describe("a field's name", () => {
  it("is written like a path in JavaScript", () => {
    expect(fieldName(["children", 0, "blockedBy", 2])).toBe("children[0].blockedBy[2]");
    expect(fieldName(["title"])).toBe("title");
    expect(fieldName([0, "id"])).toBe("[0].id");
    expect(fieldName([])).toBe("");
  });
});
