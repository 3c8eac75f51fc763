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

  it.each(SCHEMA_NAMES)("for %s have a title and a description, in the current dialect", (name) => {
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
  ])("for %s require the fields that have no default", (name, required) => {
    expect(schemaOf(name).required).toEqual(required);
  });

  it.each([
    ["story", "epic labels priority writeFiles checks needsTesting needsReview"],
    ["task", "checks writeFiles estimatedLines"],
    ["epic", "branch pr delivery"],
  ])("for %s contain %s", (name, added) => {
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

  it("describe every field that people write or read, also inside of others", () => {
    for (const name of ["story", "task", "epic", "run", "event", "epics"]) {
      for (const [field, { description }] of Object.entries(schemaOf(name).properties)) {
        expect(description, `${name}.${field}`).toMatch(/\.$/);
      }
    }
    expect(schemaOf("epic").properties["children"]).toMatchObject({
      description: "Its stories.",
      items: {
        properties: {
          id: { description: "A story." },
          blockedBy: { description: "Stories of the epic that come first." },
        },
      },
    });
    expect(schemaOf("run").properties["start"]).toMatchObject({
      properties: { commit: { description: "Its id." }, seal: { description: "A code over it." } },
    });
  });

  it("are undefined for an unknown format", () => {
    expect(jsonSchema("nonsense")).toBeUndefined();
    expect(jsonSchema("constructor")).toBeUndefined();
  });
});
