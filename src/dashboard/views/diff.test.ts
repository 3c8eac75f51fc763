import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newRepository, prepare, STORY } from "../../../test/support/repository.ts";
import { askDashboard, withWork } from "../../../test/support/story-with-work.ts";
import { commitTask } from "../../repo/commits/commits.ts";
import { openStore } from "../../store/file-store.ts";
import type { StoryDetail, StoryDiff } from "../protocol/details.ts";
import { changedFiles } from "./diff.ts";

describe("a diff", () => {
  it("covers all of a story's work, without Saga's own files", async () => {
    const { get } = await askDashboard(await withWork());
    const { diff, files, isCut } = await get<StoryDiff>(`/api/story/${STORY}/diff`);
    expect(files).toEqual([{ path: "new file.txt", added: 2, removed: 0 }]);
    expect(diff).toContain("+two");
    expect(diff).not.toContain(".saga");
    expect(isCut).toBe(false);
  });

  it("shows one commit, only if it belongs to the story", async () => {
    const test = await withWork();
    const { get, status } = await askDashboard(test);
    const { commits } = await get<StoryDetail>(`/api/story/${STORY}`);
    const commit = commits.find(({ task }) => task === "form")?.commit ?? "";
    const { files } = await get<StoryDiff>(`/api/story/${STORY}/diff?commit=${commit}`);
    expect(files).toHaveLength(1);
    const foreign = test.git("rev-parse", "HEAD");
    expect(await status(`/api/story/${STORY}/diff?commit=${foreign}`)).toBe(404);
  });

  it("shows what came after a commit of the story", async () => {
    const test = await withWork();
    const folder = join(test.path, ".saga/worktrees", STORY);
    writeFileSync(join(folder, "later.txt"), "one\n");
    test.git("-C", folder, "add", "later.txt");
    test.git("-C", folder, "commit", "--quiet", "--message=Later");
    const { get, status } = await askDashboard(test);
    const { commits } = await get<StoryDetail>(`/api/story/${STORY}`);
    const since = (commit = ""): string => `/api/story/${STORY}/diff?since=${commit}`;
    const { files } = await get<StoryDiff>(since(commits.at(-2)?.commit));
    expect(files).toEqual([{ path: "later.txt", added: 1, removed: 0 }]);
    expect((await get<StoryDiff>(since(commits.at(-1)?.commit))).files).toEqual([]);
    expect(await status(since(test.git("rev-parse", "HEAD")))).toBe(404);
    expect(await status(since("--output=x"))).toBe(400);
  });

  it("remains after a merge by hand, with only the story's own commits", async () => {
    const test = await withWork();
    test.write("other.txt", "someone else's\n");
    test.git("add", "other.txt");
    test.git("commit", "--quiet", "--message=Other work");
    rmSync(join(test.path, ".saga/stories"), { recursive: true });
    test.git("merge", "--quiet", "--no-ff", "--no-edit", `story/${STORY}`);
    test.git("commit", "--quiet", "--allow-empty", "--message=Later");
    const { get } = await askDashboard(test);
    const { files } = await get<StoryDiff>(`/api/story/${STORY}/diff`);
    expect(files).toEqual([{ path: "new file.txt", added: 2, removed: 0 }]);
    const { commits } = await get<StoryDetail>(`/api/story/${STORY}`);
    expect(commits.map(({ subject }) => subject)).toContain("Do form");
    expect(commits.map(({ subject }) => subject)).not.toContain("Other work");
  });

  it("remains after a fast-forward, from the start in its run", async () => {
    const test = await withWork();
    const [commit = ""] = test.git("rev-list", "--reverse", `main..story/${STORY}`).split("\n");
    const log = await openStore(test.path).startRun(STORY);
    log.update({ start: { commit, seal: "0".repeat(64) } });
    log.close();
    rmSync(join(test.path, ".saga/stories"), { recursive: true });
    test.git("merge", "--quiet", "--ff-only", `story/${STORY}`);
    const { get } = await askDashboard(test);
    const { files } = await get<StoryDiff>(`/api/story/${STORY}/diff`);
    expect(files).toEqual([{ path: "new file.txt", added: 2, removed: 0 }]);
  });

  it("omits files that are too large, and shows the others", async () => {
    const test = newRepository();
    const { folder } = await prepare(test);
    writeFileSync(join(folder, "a-long.txt"), "line\n".repeat(20_000));
    writeFileSync(join(folder, "b-wide.txt"), "x".repeat(600_000));
    writeFileSync(join(folder, "ç small.txt"), "small\n");
    const { git } = await test.open();
    const task = { id: "form", subject: "Do form" };
    await commitTask({ git: git.at(folder), storyId: STORY, task, exclude: [] });
    const { get } = await askDashboard(test);
    const { diff, files, isCut } = await get<StoryDiff>(`/api/story/${STORY}/diff`);
    expect(isCut).toBe(true);
    expect(files.map(({ path }) => path)).toEqual(["a-long.txt", "b-wide.txt", "ç small.txt"]);
    expect(diff.match(/^diff --git .*$/gm)).toEqual(["diff --git a/ç small.txt b/ç small.txt"]);
    expect(diff).toContain("+small");
  });

  it("is empty for a story that was never started", async () => {
    const { get } = await askDashboard(newRepository());
    expect(await get(`/api/story/${STORY}/diff`)).toEqual({ diff: "", isCut: false, files: [] });
  });

  it("counts renamed and binary files", () => {
    expect(
      changedFiles(
        ["1\t2\ta b.txt", "3\t4\t", "old.ts", "new.ts", "-\t-\timage.png", ""].join("\0"),
      ),
    ).toEqual([
      { path: "a b.txt", added: 1, removed: 2 },
      { from: "old.ts", path: "new.ts", added: 3, removed: 4 },
      { path: "image.png", added: 0, removed: 0 },
    ]);
  });
});
