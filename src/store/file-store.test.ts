import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectWith } from "../../test/support/one-story.ts";
import {
  aStory,
  aTask,
  newFolder,
  newProject,
  snapshot,
  type Project,
} from "../../test/support/project.ts";
import { openStore } from "./file-store.ts";

const withStory = (): Project => projectWith(aStory("one"), aTask("first"));

function withWorktree(project: Project, path: string, id = "one"): void {
  mkdirSync(join(project.path, path), { recursive: true });
  project.write(`${path}/.git`, "gitdir: elsewhere\n");
  project.write(`${path}/.saga/stories/${id}/story.json`, aStory(id));
}

describe("an update", () => {
  it("keeps unknown fields, their order, and the file's indentation", async () => {
    const project = newProject();
    const file = project.write(
      ".saga/stories/one/story.json",
      '{\n\t"zebra": [1],\n\t"big": 12345678901234567890,\n\t"id": "one",\n\t"title": "T",\n\t"description": "D"\n}\n',
    );
    await openStore(project.path).updateStory("one", (fields) => ({
      ...fields,
      status: "in_progress",
    }));
    expect(project.read(file.slice(project.path.length))).toBe(
      '{\n\t"zebra": [1],\n\t"big": 12345678901234567890,\n\t"id": "one",\n\t"title": "T",\n\t"description": "D",\n\t"status": "in_progress"\n}\n',
    );
  });

  it("that changes nothing writes nothing, whatever the layout", async () => {
    const project = withStory();
    project.write(".saga/stories/one/story.json", JSON.stringify(aStory("one")));
    const before = snapshot(project.path);
    await openStore(project.path).updateStory("one", (fields) => ({ ...fields }));
    expect(snapshot(project.path)).toBe(before);
  });

  it("cannot change the id, which is also the name of the folder", async () => {
    const changing = openStore(withStory().path).updateStory("one", (fields) => ({
      ...fields,
      id: "two",
    }));
    await expect(changing).rejects.toThrow("The id of the story one cannot be changed.");
  });

  it("of a task's status changes nothing else", async () => {
    const project = withStory();
    await openStore(project.path).setTaskStatus("one", "first", "completed");
    expect(project.json(".saga/stories/one/first.json")).toEqual(
      aTask("first", { status: "completed" }),
    );
  });

  it("that would make the file invalid is refused, and the file stays", async () => {
    const project = withStory();
    const before = snapshot(project.path);
    const store = openStore(project.path);
    await expect(
      store.updateStory("one", (fields) => ({ ...fields, status: "done" })),
    ).rejects.toMatchObject({ code: "bad-file", problems: [{ line: 5 }] });
    expect(snapshot(project.path)).toBe(before);
  });

  it.each([
    ["story", "../evil"],
    ["story", "a/b"],
    ["task", "../story"],
    ["task", "1"],
  ] as const)("of a %s with an invalid id is refused: %s", async (kind, id) => {
    const store = openStore(withStory().path);
    const update =
      kind === "story"
        ? store.updateStory(id, (fields) => ({ ...fields }))
        : store.setTaskStatus("one", id, "completed");
    await expect(update).rejects.toMatchObject({ code: "bad-id" });
  });

  it("of something that does not exist is refused", async () => {
    const store = openStore(withStory().path);
    await expect(store.setTaskStatus("one", "none", "completed")).rejects.toThrow(
      "There is no task one/none.",
    );
    await expect(store.updateStory("none", (fields) => ({ ...fields }))).rejects.toThrow(
      "There is no story none.",
    );
  });

  it("is written to the worktree's copy while there is one", async () => {
    const project = withStory();
    withWorktree(project, ".saga/worktrees/one");
    const before = project.read(".saga/stories/one/story.json");
    await openStore(project.path).updateStory("one", (fields) => ({
      ...fields,
      status: "in_progress",
    }));
    expect(project.read(".saga/stories/one/story.json")).toBe(before);
    expect(project.json(".saga/worktrees/one/.saga/stories/one/story.json")).toMatchObject({
      status: "in_progress",
    });
  });
});

describe("an update of a story that gets a worktree", () => {
  it("is written to the worktree as soon as the story is there, and to the project when it is gone", async () => {
    const project = withStory();
    const store = openStore(project.path);
    const raise = () =>
      store.updateStory("one", (fields) => ({
        ...fields,
        raised: Number(fields["raised"] ?? 0) + 1,
      }));
    await raise();
    mkdirSync(join(project.path, ".saga/worktrees/one"), { recursive: true });
    project.write(".saga/worktrees/one/.git", "gitdir: elsewhere\n");
    await raise();
    expect(project.json(".saga/stories/one/story.json")).toMatchObject({ raised: 2 });
    withWorktree(project, ".saga/worktrees/one");
    await raise();
    expect(project.json(".saga/worktrees/one/.saga/stories/one/story.json")).toMatchObject({
      raised: 1,
    });
    rmSync(join(project.path, ".saga/worktrees"), { recursive: true });
    await raise();
    expect(project.json(".saga/stories/one/story.json")).toMatchObject({ raised: 3 });
  });
});

describe("an update of a story whose worktree leads out of .saga", () => {
  it("is written to the project's copy", async () => {
    const project = withStory();
    const outside = newFolder("outside");
    outside.write("story.json", aStory("one"));
    mkdirSync(join(project.path, ".saga/worktrees/one/.saga/stories"), { recursive: true });
    project.write(".saga/worktrees/one/.git", "gitdir: elsewhere\n");
    symlinkSync(outside.path, join(project.path, ".saga/worktrees/one/.saga/stories/one"));
    const before = snapshot(outside.path);
    await openStore(project.path).updateStory("one", (fields) => ({ ...fields, priority: 1 }));
    expect(project.json(".saga/stories/one/story.json")).toMatchObject({ priority: 1 });
    expect(snapshot(outside.path)).toBe(before);
  });
});

describe("the current copy of a story", () => {
  it.each([".saga/worktrees/a--b", ".saga/worktrees/stories/a--b", ".saga/worktrees/a/b"])(
    "is the one in its worktree at %s",
    async (path) => {
      const project = newProject();
      project.write(".saga/stories/a--b/story.json", aStory("a--b"));
      withWorktree(project, path, "a--b");
      const store = openStore(project.path);
      expect((await store.readStory("a--b")).source).toBe("worktree");
      expect((await store.overview()).stories.get("a--b")?.record.source).toBe("worktree");
    },
  );

  it("is the project's when the folder in worktrees is not a worktree", async () => {
    const project = withStory();
    project.write(".saga/worktrees/one/.saga/stories/one/story.json", aStory("one"));
    const store = openStore(project.path);
    expect((await store.readStory("one")).source).toBe("project");
    expect((await store.validate()).problems).toMatchObject([{ severity: "warning" }]);
  });
});

describe("the archive", () => {
  it("takes a completed story with all its files, and can be repeated", async () => {
    const project = newProject();
    project.write(".saga/stories/one/story.json", aStory("one", { status: "completed" }));
    project.write(".saga/stories/one/notes.txt", "mine");
    const store = openStore(project.path);
    expect(await store.archive(["one"])).toMatchObject([{ wasThere: false }]);
    expect(await store.archive(["one"])).toMatchObject([{ wasThere: true }]);
    expect(project.read(".saga/archive/one/notes.txt")).toBe("mine");
  });

  it("refuses a story with a worktree or a living worker", async () => {
    const project = newProject();
    for (const id of ["one", "two"]) {
      project.write(`.saga/stories/${id}/story.json`, aStory(id, { status: "completed" }));
    }
    withWorktree(project, ".saga/worktrees/one");
    const store = openStore(project.path);
    await store.leases.acquire("story.two", { owner: "worker two", ttlMs: 60_000 });
    await expect(store.archive(["one"])).rejects.toThrow("still has a worktree");
    await expect(store.archive(["two"])).rejects.toThrow("two is running (worker two)");
  });
});

describe("leases of a store", () => {
  it("are listed with their owners, and a name that is a path is refused", async () => {
    const store = openStore(withStory().path);
    await store.leases.acquire("story.one", { owner: "me", ttlMs: 60_000 });
    expect(await store.leases.list()).toMatchObject([
      { name: "story.one", life: "alive", record: { owner: "me" } },
    ]);
    expect(await store.leases.read("story.two")).toBeUndefined();
    await expect(store.leases.acquire("../x", { owner: "me", ttlMs: 1 })).rejects.toThrow(
      /not the name/,
    );
  });

  it("are named in the error when they cannot be read", async () => {
    const project = withStory();
    mkdirSync(join(project.path, ".saga/leases/story.one/1.json"), { recursive: true });
    const { leases } = openStore(project.path);
    const file = join(project.path, ".saga/leases/story.one");
    const refusal = {
      code: "bad-file",
      message: `Cannot read the lock in ${file}: it is a folder.`,
    };
    await expect(leases.list()).rejects.toMatchObject(refusal);
    await expect(leases.read("story.one")).rejects.toMatchObject(refusal);
  });
});
