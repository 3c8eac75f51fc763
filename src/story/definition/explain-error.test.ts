import { describe, expect, it } from "vitest";
import * as z from "zod";
import { explain, fieldName, type FieldProblem } from "./explain-error.ts";
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

describe("what is wrong is said in a sentence, with its place and a fix:", () => {
  it.each<[string, z.ZodType, unknown, FieldProblem["path"], string, string]>([
    [
      "a field that is missing",
      storySchema,
      { ...story, title: undefined },
      ["title"],
      "`title` is missing.",
      'Add "title": "…".',
    ],
    [
      "a list that is missing",
      z.object({ children: z.array(z.string()) }),
      {},
      ["children"],
      "`children` is missing.",
      'Add "children": [].',
    ],
    [
      "a number that is missing",
      z.object({ size: z.object({ files: z.number() }) }),
      { size: {} },
      ["size", "files"],
      "`size.files` is missing.",
      'Add "files": 1.',
    ],
    [
      "a choice that is missing",
      z.object({ status: z.enum(["pending", "completed"]) }),
      {},
      ["status"],
      "`status` is missing.",
      'Add "status": "pending".',
    ],
    [
      "an object that is missing",
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
      "`labels` must be a list, but is text.",
      "Write it as [].",
    ],
    [
      "a number where text belongs",
      storySchema,
      { ...story, checks: ["x", 5] },
      ["checks", 1],
      "`checks[1]` must be text, but is a number.",
      'Write it as "…".',
    ],
    [
      "text where true or false belongs",
      storySchema,
      { ...story, needsReview: "yes" },
      ["needsReview"],
      "`needsReview` must be true or false, but is text.",
      "Write it as true.",
    ],
    [
      "text where a number belongs",
      storySchema,
      { ...story, priority: "high" },
      ["priority"],
      "`priority` must be a number, but is text.",
      "Write it as 1.",
    ],
    [
      "null where text belongs",
      storySchema,
      { ...story, guidance: null },
      ["guidance"],
      "`guidance` must be text, but is null.",
      'Write it as "…".',
    ],
    [
      "a list where the whole must be an object",
      storySchema,
      [],
      [],
      "The file must be an object, but is a list.",
      "Write it as {}.",
    ],
    [
      "an object where text belongs",
      storySchema,
      { ...story, title: {} },
      ["title"],
      "`title` must be text, but is an object.",
      'Write it as "…".',
    ],
    [
      "a kind with no plainer name",
      z.object({ since: z.date() }),
      { since: "now" },
      ["since"],
      "`since` must be date, but is text.",
      'Write it as "…".',
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
      "Use a value of at most 4.",
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
      '`labels[0]` ("a b") may only hold letters, digits, dashes and underscores.',
      "Correct it.",
    ],
    [
      "a number between the steps",
      z.object({ size: z.number().multipleOf(5, "is not a multiple of 5") }),
      { size: 7 },
      ["size"],
      "`size` (7) is not a multiple of 5.",
      "Correct it.",
    ],
    [
      "a bad key",
      z.object({ ports: z.record(z.string().regex(/^\d+$/), z.int(), "has a bad key") }),
      { ports: { x: 1 } },
      ["ports", "x"],
      "`ports.x` (1) has a bad key.",
      "Correct it.",
    ],
  ])("%s", (_, schema, input, path, message, fix) => {
    expect(findings(schema, input)).toEqual([{ path, severity: "error", message, fix }]);
  });

  it("a number with a fraction, by showing it", () => {
    expect(findings(storySchema, { ...story, priority: 2.5 })).toMatchObject([
      { message: "`priority` must be a whole number, but is 2.5." },
    ]);
  });

  it("a number that is none, not as a number that should be a number", () => {
    const [finding] = findings(configSchema, { size: { max_files: Number.NaN } });
    expect(finding?.message).toMatch(/^`size.max_files` must be /);
    expect(finding?.message).not.toContain("but is a number");
  });

  it("an empty text, as empty and not as too small a number", () => {
    const [finding] = findings(configSchema, { claude: { path: "" } });
    expect(finding?.path).toEqual(["claude", "path"]);
    expect(finding?.message).toMatch(/is empty|character/);
  });

  it("a time that is none, without the words of the schema library", () => {
    const [finding] = findings(runSchema, { ...run, startedAt: "yesterday" });
    expect(finding?.path).toEqual(["startedAt"]);
    expect(finding?.message).not.toContain("Invalid");
  });

  it("a key that is not known, at its own place", () => {
    expect(findings(configSchema, { size: { max_file: 1 } })).toMatchObject([
      {
        path: ["size", "max_file"],
        message: "`size.max_file` is not known here.",
        fix: "Remove it, or correct its name.",
      },
    ]);
  });

  it("each of several keys that are not known, so that each can be shown on its line", () => {
    const messages = findings(configSchema, { one: 1, two: 2 }).map(({ message }) => message);
    expect(messages).toEqual(["`one` is not known here.", "`two` is not known here."]);
  });

  it("everything that is wrong, in the order of the fields", () => {
    expect(findings(storySchema, { title: "", status: 1 }).map(({ path }) => path)).toEqual([
      ["id"],
      ["title"],
      ["description"],
      ["status"],
    ]);
  });
});

describe("a field's name", () => {
  it("is written as people write paths in JSON", () => {
    expect(fieldName(["children", 0, "blockedBy", 2])).toBe("children[0].blockedBy[2]");
    expect(fieldName(["title"])).toBe("title");
    expect(fieldName([0, "id"])).toBe("[0].id");
    expect(fieldName([])).toBe("");
  });
});
