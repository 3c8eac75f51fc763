import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder, snapshot } from "../../../../test/support/project.ts";
import { misused, refused } from "../../../../test/support/refused.ts";

const NAMES = ["story", "task", "epic", "plan", "config", "run", "event", "epics"];

interface Schema {
  readonly $schema: string;
  readonly title: string;
  readonly properties: Readonly<Record<string, { readonly description?: string }>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
}

async function schemaOf(name: string): Promise<Schema> {
  const { stdout } = await newFolder().saga("schema", name);
  return JSON.parse(stdout) as Schema;
}

describe("saga schema", () => {
  it("lists the names, and needs no project for it", async () => {
    const folder = newFolder();
    const { exitCode, stdout, stderr } = await folder.saga("schema");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toBe(`${NAMES.join("\n")}\n`);
    expect((await folder.saga("schema", "--json")).json()).toEqual({ schemas: NAMES });
  });

  it.each(NAMES)("prints a JSON Schema, the same for people and programs: %s", async (name) => {
    const folder = newFolder();
    const { exitCode, stdout } = await folder.saga("schema", name);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      title: `Saga ${name}`,
      type: "object",
    });
    expect((await folder.saga("schema", name, "--json")).stdout).toBe(stdout);
  });

  it("asks people only for what they must write", async () => {
    expect((await schemaOf("story")).required).toEqual(["id", "title", "description"]);
    expect((await schemaOf("task")).required).toEqual(["id", "subject", "description"]);
    expect((await schemaOf("plan")).required ?? []).toEqual([]);
    expect((await schemaOf("config")).required ?? []).toEqual([]);
  });

  it("allows unknown fields in definitions, and none in settings", async () => {
    expect((await schemaOf("story")).additionalProperties).not.toBe(false);
    expect((await schemaOf("config")).additionalProperties).toBe(false);
  });

  it("explains the fields, so that editors can", async () => {
    const { properties } = await schemaOf("story");
    expect(properties["doneWhen"]?.description).toBe("What must hold when it is done.");
    expect(properties["priority"]?.description).toContain("0 is the most urgent");
  });

  it("writes all of them into a folder with --out", async () => {
    const folder = newFolder();
    const { exitCode, stdout } = await folder.saga("schema", "--out", "deep/schemas");
    expect(exitCode).toBe(0);
    const files = NAMES.map((name) => join(folder.path, "deep/schemas", `${name}.schema.json`));
    expect(stdout).toBe(`${files.join("\n")}\n`);
    expect(readdirSync(join(folder.path, "deep/schemas"))).toHaveLength(NAMES.length);
    const [story = ""] = files;
    const { stdout: printed } = await folder.saga("schema", "story");
    expect(readFileSync(story, "utf8")).toBe(printed);
  });

  it("lists the written files in JSON, and can be repeated", async () => {
    const folder = newFolder();
    await folder.saga("schema", "--out", "schemas");
    const before = snapshot(folder.path);
    const { exitCode, json } = await folder.saga("schema", "--out", "schemas", "--json");
    expect(exitCode).toBe(0);
    expect(json()["files"]).toHaveLength(NAMES.length);
    expect(snapshot(folder.path)).toBe(before);
  });

  it("works with odd folder names", async () => {
    const folder = newFolder("it's $(touch pwned)\n計画");
    const { exitCode, stdout } = await folder.saga("schema", "--out", "my schemas");
    expect(exitCode).toBe(0);
    expect(stdout.trimEnd().split("\n")).toHaveLength(NAMES.length);
    expect(readdirSync(folder.path)).toEqual(["my schemas"]);
  });
});

describe("saga schema refuses", () => {
  it("an unknown name, and lists the known ones", async () => {
    const { message, hint } = await misused(newFolder(), "schema", "saga");
    expect(message).toContain('"saga"');
    expect(message).toContain("story, task, epic, plan");
    expect(hint).toContain("`saga schema --help`");
  });

  it("one name and --out at once: --out writes all of them", async () => {
    const { message } = await misused(newFolder(), "schema", "story", "--out", "schemas");
    expect(message).toContain("--out");
  });

  it("a file in the place of the folder", async () => {
    const folder = newFolder();
    folder.write("schemas", "in the way\n");
    for (const out of ["schemas", "schemas/deep"]) {
      const { code, text } = await refused(folder, "schema", "--out", out);
      expect(code).toBe("not-writable");
      expect(text).toContain(join(folder.path, "schemas"));
    }
  });

  it("a folder in the place of one of the files, before it writes any", async () => {
    const folder = newFolder();
    mkdirSync(join(folder.path, "schemas/task.schema.json"), { recursive: true });
    const { text } = await refused(folder, "schema", "--out", "schemas");
    expect(text).toContain("task.schema.json");
  });

  it("an empty name for the folder", async () => {
    const { message } = await misused(newFolder(), "schema", "--out", "");
    expect(message).toContain("--out");
  });
});
