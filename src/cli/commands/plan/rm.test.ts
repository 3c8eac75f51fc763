import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  anEpic,
  aStory,
  aTask,
  newProject,
  type Project,
} from "../../../../test/support/project.ts";
import { refused } from "../../../../test/support/refused.ts";
import { newRepository, prepare, STORY } from "../../../../test/support/repository.ts";
import { EXIT } from "../../../story/state/exit-codes.ts";
import { openStore } from "../../../store/file-store.ts";

function aProject(): Project {
  const project = newProject();
  const children = [
    { id: "e--a", blockedBy: [] },
    { id: "e--b", blockedBy: ["e--a"] },
  ];
  project.write(".saga/epics/e/epic.json", anEpic("e", children));
  for (const id of ["e--a", "e--b"]) {
    project.write(`.saga/stories/${id}/story.json`, aStory(id, { epic: "e" }));
  }
  project.write(".saga/stories/e--b/form.json", aTask("form"));
  project.write(".saga/stories/e--b/tests.json", aTask("tests", { blockedBy: ["form"] }));
  project.write(".saga/stories/e--b/journal.md", "# Journal of e--b\n");
  return project;
}

const isThere = (project: Project, path: string): boolean => existsSync(join(project.path, path));
const problemsIn = async (project: Project): Promise<unknown> =>
  (await openStore(project.path).validate()).problems;

describe("saga rm", () => {
  it("removes a story and its place in the epic, and says how to have it back", async () => {
    const project = aProject();
    const { exitCode, stdout } = await project.saga("rm", "e--b", "--yes");
    expect(exitCode).toBe(0);
    expect(isThere(project, ".saga/stories/e--b")).toBe(false);
    expect(project.json(".saga/epics/e/epic.json")["children"]).toEqual([
      { id: "e--a", blockedBy: [] },
    ]);
    expect(await problemsIn(project)).toEqual([]);
    const [, from = "", to = ""] = /undo +mv (\S+) (\S+)/.exec(stdout) ?? [];
    expect(to).toBe(".saga/stories/e--b");
    expect(readdirSync(join(project.path, from)).toSorted()).toEqual([
      "form.json",
      "journal.md",
      "story.json",
      "tests.json",
    ]);
    expect(project.read(".saga/removed/.gitignore")).toBe("*\n");
  });

  it("removes a task", async () => {
    const project = aProject();
    expect((await project.saga("rm", "e--b/tests", "--yes")).exitCode).toBe(0);
    expect(isThere(project, ".saga/stories/e--b/tests.json")).toBe(false);
    expect((await project.saga("rm", "e--b", "form", "--yes")).exitCode).toBe(0);
    expect(await problemsIn(project)).toEqual([]);
  });

  it("removes a task that others wait for with --force, and they wait no more", async () => {
    const project = aProject();
    const { text } = await refused(project, "rm", "e--b/form", "--yes");
    expect(text).toContain("Other tasks wait for e--b/form: tests.");
    expect((await project.saga("rm", "e--b/form", "--yes", "--force")).exitCode).toBe(0);
    expect(project.json(".saga/stories/e--b/tests.json")).toMatchObject({ blockedBy: [] });
    expect(await problemsIn(project)).toEqual([]);
  });

  it("removes a story that others wait for with --force", async () => {
    const project = aProject();
    const { text } = await refused(project, "rm", "e--a", "--yes");
    expect(text).toContain("Other stories wait for e--a: e--b.");
    expect((await project.saga("rm", "e--a", "--yes", "--force")).exitCode).toBe(0);
    expect(await problemsIn(project)).toEqual([]);
  });

  it("removes an epic with --force, and its stories stay", async () => {
    const project = aProject();
    const { text } = await refused(project, "rm", "e", "--yes");
    expect(text).toContain("The epic e has 2 stories: e--a, e--b.");
    expect((await project.saga("rm", "e", "--yes", "--force")).exitCode).toBe(0);
    expect(isThere(project, ".saga/epics/e")).toBe(false);
    expect(project.json(".saga/stories/e--a/story.json")).not.toHaveProperty("epic");
    expect(await problemsIn(project)).toEqual([]);
  });

  it("asks in a terminal, and needs --yes elsewhere", async () => {
    const project = aProject();
    const unasked = await project.saga("rm", "e--b");
    expect(unasked.exitCode).toBe(EXIT.usage);
    expect(unasked.stderr).toContain("saga rm e--b --yes");
    const no = await project.sagaAnswered({ answer: "n" }, "rm", "e--b");
    expect(no).toMatchObject({ exitCode: 1, stdout: "Nothing was removed.\n" });
    expect(isThere(project, ".saga/stories/e--b")).toBe(true);
    expect((await project.sagaAnswered({ answer: "y" }, "rm", "e--b")).exitCode).toBe(0);
    expect(isThere(project, ".saga/stories/e--b")).toBe(false);
  });

  it.each([["e--b"], ["e--b/tests"]])("refuses %s while a worker has the story", async (name) => {
    const project = aProject();
    const { lease } = await openStore(project.path).leases.acquire("story.e--b", {
      owner: "saga-story-e--b-1",
      ttlMs: 60_000,
    });
    const { text } = await refused(project, "rm", name, "--yes", "--force");
    await lease?.release();
    expect(text).toContain("e--b is running (saga-story-e--b-1).");
  });

  it("keeps the work of a started story in a snapshot, which can be restored", async () => {
    const test = newRepository();
    const { folder } = await prepare(test);
    test.write(join(folder, "new.txt").slice(test.path.length + 1), "work\n");
    const removed = await test.sagaWithEnv(test.env, "rm", STORY, "--yes", "--json");
    const { restore, snapshot } = removed.json() as { restore: string[]; snapshot: number };
    expect(existsSync(folder)).toBe(false);
    expect(isThere(test, `.saga/stories/${STORY}`)).toBe(false);
    expect(restore[1]).toBe(`saga snapshot restore ${STORY} ${snapshot}`);
    const [, from = "", to = ""] = (restore[0] ?? "").split(" ");
    test.write(`${to}/story.json`, test.read(`${from}/story.json`));
    const back = await test.sagaWithEnv(test.env, "keep", "restore", STORY, String(snapshot));
    expect(back.exitCode).toBe(0);
    expect(test.read(join(folder, "new.txt").slice(test.path.length + 1))).toBe("work\n");
  });
});
