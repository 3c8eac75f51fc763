import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { claudeTask } from "../../../test/support/claude-list.ts";
import { newFolder } from "../../../test/support/project.ts";
import { findProblems } from "./find-problems.ts";

describe("what stops the pool", () => {
  it("is found with kind and file", async () => {
    const { path, write } = newFolder();
    const list = join(path, "list");
    write("list/1.json", "{");
    write("list/2.json", { ...claudeTask("2"), subject: undefined });
    write("list/3.json", claudeTask("3", { metadata: { priority: 9 } }));
    write("list/4.json", claudeTask("4", { blockedBy: ["99"] }));
    write("list/5.json", claudeTask("5", { blockedBy: ["6"] }));
    write("list/6.json", claudeTask("6", { blockedBy: ["5"] }));
    mkdirSync(join(list, "7.json"));
    const context = write("context.toml", "[");
    const found = (await findProblems(list, context)).map(({ kind, file }) => `${kind} ${file}`);
    expect(new Set(found)).toEqual(
      new Set([
        `invalid-json ${join(list, "1.json")}`,
        `invalid-task ${join(list, "2.json")}`,
        `invalid-task ${join(list, "3.json")}`,
        `missing-dependency ${join(list, "4.json")}`,
        `cycle ${join(list, "5.json")}`,
        `unreadable ${join(list, "7.json")}`,
        `context ${context}`,
      ]),
    );
  });

  it("includes a list that cannot be read at all", async () => {
    const { path } = newFolder();
    writeFileSync(join(path, "list"), "");
    symlinkSync("loop", join(path, "loop"));
    for (const list of ["list", "loop"].map((name) => join(path, name))) {
      expect(await findProblems(list, join(path, "none"))).toMatchObject([
        { kind: "unreadable", file: list },
      ]);
    }
  });

  it("is nothing for a valid or an empty list", async () => {
    const { path, write } = newFolder();
    write("1.json", claudeTask("1"));
    expect(await findProblems(path, join(path, "none.toml"))).toEqual([]);
    expect(await findProblems(join(path, "none"), join(path, "none.toml"))).toEqual([]);
  });
});
