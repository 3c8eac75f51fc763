import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { aStory, aTask, newProject, type Project } from "../../../test/support/project.ts";
import { wholeDisk } from "../../../test/support/refused.ts";
import { newWorktree } from "../../../test/support/worktree.ts";
import { openStore } from "../file-store.ts";

const ENTRY = {
  kind: "decision",
  key: "discarded 1",
  at: "2026-11-15T21:48:00.000Z",
  title: "Discarded: snapshot 1",
  body: "Why.",
  blocker: undefined,
} as const;

function begunProject(): Project {
  const project = newProject();
  const begun = { status: "completed", branch: "story/one", pr: "local/1", worktree: "w", mine: 1 };
  project.write(".saga/stories/one/story.json", aStory("one", begun));
  project.write(".saga/stories/one/a.json", aTask("a", { status: "completed", mine: 2 }));
  project.write(".saga/stories/one/b.json", `{"id":"b","status" : "in_progress", "big": 1e400}`);
  project.write(".saga/stories/one/c.json", aTask("c"));
  return project;
}

describe("a story that is reset", () => {
  it("has every task pending, no field of a run, and every field of a person", async () => {
    const project = begunProject();
    const untouched = project.read(".saga/stories/one/c.json");
    await openStore(project.path).resetStory("one", ENTRY);
    expect(project.json(".saga/stories/one/story.json")).toEqual(
      aStory("one", { status: "pending", mine: 1 }),
    );
    expect(project.json(".saga/stories/one/a.json")).toEqual(aTask("a", { mine: 2 }));
    expect(project.read(".saga/stories/one/b.json")).toBe(
      `{"id":"b","status" : "pending", "big": 1e400}`,
    );
    expect(project.read(".saga/stories/one/c.json")).toBe(untouched);
    expect(project.read(".saga/stories/one/journal.md")).toContain(
      "## 2026-11-15T21:48:00.000Z Decision: Discarded: snapshot 1\n\n<!-- saga: discarded 1 -->\n\nWhy.",
    );
  });

  it("is not written again when this is repeated, nor its journal entry", async () => {
    const project = begunProject();
    const store = openStore(project.path);
    await store.resetStory("one", ENTRY);
    const after = wholeDisk(project.path);
    await store.resetStory("one", { ...ENTRY, at: "2027-01-01T00:00:00.000Z", title: "§" });
    expect(wholeDisk(project.path)).toBe(after);
    await store.resetStory("one", { ...ENTRY, key: "discarded 2" });
    expect(wholeDisk(project.path)).not.toBe(after);
  });

  it("keeps its journal, and leaves an invalid file as it is", async () => {
    const project = begunProject();
    project.write(".saga/stories/one/a.json", "{ broken");
    project.write(".saga/stories/one/journal.md", "# Journal: one\n\nMy own words.\n");
    await openStore(project.path).resetStory("one", ENTRY);
    expect(project.read(".saga/stories/one/a.json")).toBe("{ broken");
    expect(project.read(".saga/stories/one/journal.md")).toMatch(/My own words\.\n\n## /);
  });

  it("is the project's copy, even while there is a worktree", async () => {
    const project = begunProject();
    const live = newWorktree(project, "one", aStory("one", { status: "in_progress" }));
    await openStore(project.path).resetStory("one", ENTRY);
    expect(project.json(`${live}/story.json`)["status"]).toBe("in_progress");
    expect(project.json(".saga/stories/one/a.json")["status"]).toBe("pending");
  });

  it("must exist", async () => {
    await expect(openStore(newProject().path).resetStory("one", ENTRY)).rejects.toThrow("no story");
  });
});

describe("a story that exists only in its worktree", () => {
  it("is copied back to the project completely, and other files stay", async () => {
    const project = newProject();
    const live = newWorktree(project, "one", aStory("one"));
    project.write(`${live}/a.json`, aTask("a"));
    project.write(`${live}/.write.1.tmp`, "a lock");
    const store = openStore(project.path);
    await store.reclaimStory("one");
    const own = join(project.path, ".saga/stories/one");
    expect(readdirSync(own)).toEqual(["a.json", "story.json"]);
    expect(project.read(".saga/stories/one/a.json")).toBe(project.read(`${live}/a.json`));
    project.write(".saga/stories/one/a.json", aTask("a", { mine: 1 }));
    await store.reclaimStory("one");
    expect(project.json(".saga/stories/one/a.json")["mine"]).toBe(1);
  });

  it("is not copied through a link, and nothing happens without a worktree", async () => {
    const project = newProject();
    project.write("elsewhere/story.json", aStory("one"));
    project.write(".saga/worktrees/one/.git", "gitdir: elsewhere\n");
    project.link(".saga/worktrees/one/.saga/stories/one", join(project.path, "elsewhere"));
    const store = openStore(project.path);
    await expect(store.reclaimStory("one")).rejects.toThrow("no story");
    expect(existsSync(join(project.path, ".saga/stories/one"))).toBe(false);
    rmSync(join(project.path, ".saga/worktrees"), { recursive: true });
    project.write(".saga/stories/one/story.json", aStory("one"));
    await store.reclaimStory("one");
    expect(project.json(".saga/stories/one/story.json")["id"]).toBe("one");
  });
});
