import { describe, expect, it } from "vitest";
import { jsonSchema, SCHEMA_NAMES } from "./json-schema.ts";

interface Schema {
  readonly title?: string;
  readonly description?: string;
  readonly required?: string[];
  readonly properties: Readonly<
    Record<string, { readonly description?: string; pattern?: string }>
  >;
  readonly additionalProperties: unknown;
}
const schemaOf = (name: string): Schema => jsonSchema(name) as Schema;

describe("the JSON Schemas", () => {
  it("exist for every format", () => {
    expect(SCHEMA_NAMES).toEqual([
      "story",
      "task",
      "epic",
      "plan",
      "config",
      "run",
      "event",
      "epics",
    ]);
  });

  it.each(SCHEMA_NAMES)("for %s say what it is, in the current dialect", (name) => {
    const schema = schemaOf(name);
    expect(schema).toMatchObject({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
    });
    expect(schema.title).toMatch(/^Saga /);
    expect(schema.description).toMatch(/\.$/);
  });

  it.each([
    ["story", ["id", "title", "description"]],
    ["task", ["id", "subject", "description"]],
    ["epic", ["id", "title", "description", "children"]],
    ["plan", undefined],
    ["config", undefined],
  ])("for %s require what people must write, and not what has a default", (name, required) => {
    expect(schemaOf(name).required).toEqual(required);
  });

  it.each([
    ["story", "epic labels priority writeFiles checks needsTesting needsReview"],
    ["task", "checks writeFiles estimatedLines"],
    ["epic", "branch pr delivery"],
  ])("for %s hold what the design adds: %s", (name, added) => {
    expect(Object.keys(schemaOf(name).properties)).toEqual(
      expect.arrayContaining(added.split(" ")),
    );
  });

  it.each(["story", "task", "epic", "run", "event"])("for %s allow unknown fields", (name) => {
    expect(schemaOf(name).additionalProperties).not.toBe(false);
  });

  it.each(["plan", "config"])("for %s refuse unknown fields", (name) => {
    expect(schemaOf(name).additionalProperties).toBe(false);
  });

  it.each(["story", "task", "epic"])("for %s let an editor check the id", (name) => {
    const pattern = schemaOf(name).properties["id"]?.pattern;
    expect(pattern).toBeDefined();
    expect("add-login").toMatch(new RegExp(pattern ?? ""));
    expect("Add Login").not.toMatch(new RegExp(pattern ?? ""));
  });

  it("are nothing for a format that does not exist", () => {
    expect(jsonSchema("nonsense")).toBeUndefined();
    expect(jsonSchema("constructor")).toBeUndefined();
  });
});
