import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { claudeTask } from "../../../test/support/claude-list.ts";
import { newProject } from "../../../test/support/project.ts";
import { openPoolList } from "./pool-list.ts";

describe("the files of a list", () => {
  const entriesOf = async (list: ReturnType<typeof openPoolList>): Promise<readonly object[]> => {
    const { tasks, broken } = await list.read();
    return [...tasks.values(), ...broken.values()];
  };

  it("are broken only if a second read agrees: Claude writes them in place", async () => {
    const folder = newProject().path;
    const file = join(folder, "1.json");
    const list = openPoolList(folder);
    writeFileSync(file, JSON.stringify(claudeTask("1")));
    expect(await entriesOf(list)).toMatchObject([{ task: { id: "1", subject: "Do 1" } }]);
    writeFileSync(file, '{"id": "1", "subj');
    expect(await entriesOf(list)).toMatchObject([{ task: { id: "1", subject: "Do 1" } }]);
    expect(list.isTorn()).toBe(true);
    const { tasks, broken } = await list.read();
    expect(tasks.size).toBe(0);
    expect(broken.get("1")?.problem.message).toContain("is not JSON");
    writeFileSync(file, JSON.stringify(claudeTask("1", { subject: "Again" })));
    expect(await entriesOf(list)).toMatchObject([{ task: { subject: "Again" } }]);
    expect(list.isTorn()).toBe(false);
  });

  it("disappear when they are deleted", async () => {
    const folder = newProject().path;
    const list = openPoolList(folder);
    writeFileSync(join(folder, "1.json"), JSON.stringify(claudeTask("1")));
    expect(await entriesOf(list)).toHaveLength(1);
    rmSync(join(folder, "1.json"));
    expect(await entriesOf(list)).toEqual([]);
    expect(await entriesOf(list)).toEqual([]);
  });

  it("are empty without a folder, and do not include Claude's other files", async () => {
    expect(await entriesOf(openPoolList("/no/such/folder"))).toEqual([]);
    const folder = newProject().path;
    mkdirSync(join(folder, ".claims"));
    writeFileSync(join(folder, ".highwatermark"), "3");
    expect(await entriesOf(openPoolList(folder))).toEqual([]);
  });
});
