import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { claudeTask, newList } from "../../test/support/claude-list.ts";
import { newFolder } from "../../test/support/project.ts";
import { newListReader, type EntryChange } from "./reader.ts";
import { updateTask } from "../claude/tasks/list.ts";

const idsOf = (changes: readonly EntryChange[]): string[] => changes.map(({ id }) => id);

describe("a list that is read as it changes", () => {
  it("gives everything the first time, and then only changes", async () => {
    const list = newList(claudeTask("1"), claudeTask("2"));
    const reader = newListReader(list);
    expect(idsOf(await reader.compare())).toEqual(["1", "2"]);
    expect(await reader.compare()).toEqual([]);
    await updateTask(list, "2", (task) => ({ ...task, status: "completed" }));
    const news = await reader.compare();
    expect(idsOf(news)).toEqual(["2"]);
    expect(news[0]?.entry?.pool?.status).toBe("completed");
    expect(idsOf(await reader.read(["1", "none"]))).toEqual(["1"]);
  });

  it("reports a deleted task until it is forgotten; one that reappears has its original age", async () => {
    const list = newList(claudeTask("fix-it"));
    const reader = newListReader(list);
    const made = (await reader.compare())[0]?.entry?.pool?.createdAtMs;
    rmSync(join(list, "fix-it.json"));
    for (const _ of [1, 2]) {
      expect(await reader.compare()).toEqual([{ id: "fix-it", entry: undefined }]);
    }
    writeFileSync(join(list, "fix-it.json"), JSON.stringify(claudeTask("fix-it")));
    expect((await reader.compare())[0]?.entry?.pool?.createdAtMs).toBe(made);
    rmSync(join(list, "fix-it.json"));
    reader.forget("fix-it");
    expect(await reader.compare()).toEqual([]);
  });

  it("keeps Claude's part of a task when only the pool's fields are invalid", async () => {
    const wrong = claudeTask("1", { metadata: { priority: 9 } });
    const [news] = await newListReader(newList(wrong)).compare();
    expect(news?.entry).toMatchObject({ task: wrong, problem: { kind: "invalid-task" } });
  });

  it("gives the reason for each unreadable file, and continues with the others", async () => {
    const list = newList(claudeTask("2"));
    symlinkSync("1.json", join(list, "1.json"));
    const reader = newListReader(list);
    const news = await reader.compare();
    expect(news.map(({ id, entry }) => `${id} ${entry?.problem?.kind}`)).toEqual([
      "1 unreadable",
      "2 undefined",
    ]);
    expect(await reader.compare()).toEqual([]);
  });

  it("is empty when it does not exist", async () => {
    expect(await newListReader(join(newFolder().path, "none")).compare()).toEqual([]);
  });
});
