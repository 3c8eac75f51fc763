import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { startTestDashboard } from "../../../test/support/dashboard.ts";
import { aStory, aTask, newFolder, newProject } from "../../../test/support/project.ts";
import {
  newRepository,
  prepare,
  STORY,
  type TestRepository,
} from "../../../test/support/repository.ts";
import { commitTask } from "../../repo/commits/commits.ts";
import { openStore } from "../../store/file-store.ts";
import { receiptKeyFile } from "../../store/runs/receipt-key.ts";
import { withSeals } from "../../store/runs/receipts.ts";
import { filesIn } from "./diff.ts";
import type { StoryDetail, StoryDiff, Timeline } from "../protocol/details.ts";

async function withWork(): Promise<TestRepository> {
  const test = newRepository();
  const { folder } = await prepare(test);
  writeFileSync(join(folder, "new file.txt"), "one\ntwo\n");
  const { git } = await test.open();
  await commitTask({
    git: git.at(folder),
    storyId: STORY,
    task: { id: "form", subject: "Do form" },
    exclude: [],
  });
  return test;
}

async function asking(test: TestRepository) {
  const { ask, own } = await startTestDashboard(test, { env: test.env });
  const get = async <T>(path: string): Promise<T> => {
    const { text } = await ask(path, { headers: own });
    return JSON.parse(text) as T;
  };
  return { get, status: async (path: string) => (await ask(path, { headers: own })).status };
}

describe("a story in full", () => {
  it("has its words, its tasks, its runs and what git knows", async () => {
    const test = await withWork();
    const store = openStore(test.path);
    const log = await store.startRun(STORY, { model: "opus" });
    log.update({ endedAt: new Date().toISOString(), outcome: "done", costUsd: 2, cycles: 3 });
    log.close();
    const { get } = await asking(test);
    const detail = await get<StoryDetail>(`/api/story/${STORY}`);
    expect(detail).toMatchObject({
      title: `Title of ${STORY}`,
      description: `What ${STORY} is about.`,
      tasks: [{ id: "form", description: "How to do form.", checks: [] }],
      runs: [{ outcome: "done", costUsd: 2, cycles: 3, model: "opus" }],
      missing: ["its diff was not looked at"],
      problems: [],
    });
    expect(detail.tree).toMatch(/^[0-9a-f]{40}$/);
    expect(detail.commits.map(({ subject, task }) => [subject, task])).toContainEqual([
      "Do form",
      "form",
    ]);
    expect(await get<Timeline>("/api/timeline?days=1")).toMatchObject({
      bars: [{ story: STORY, run: log.run.id, outcome: "done", costUsd: 2 }],
    });
  });

  it("has the journal, with what is still open", async () => {
    const test = await withWork();
    const store = openStore(test.path);
    const at = "2026-11-15T21:48:00.000Z";
    await store.appendJournal(STORY, {
      kind: "blocker",
      at,
      title: "Which?",
      body: "This or that.",
    });
    const { get } = await asking(test);
    const { journal } = await get<StoryDetail>(`/api/story/${STORY}`);
    expect(journal).toEqual([
      { kind: "blocker", at, title: "Which?", body: "This or that.", blocker: "b1", isOpen: true },
    ]);
  });

  it("counts receipts apart that another key sealed, until that key is brought back", async () => {
    const test = await withWork();
    const elsewhere = { HOME: newFolder("elsewhere").path };
    const log = withSeals(await openStore(test.path).startRun(STORY), elsewhere);
    const at = new Date().toISOString();
    const receipt = { at, gate: "diff", tree: "a".repeat(40), isPassed: true, ms: 1, findings: [] };
    for (const how of ["one", "two"]) log.append({ type: "gate", ...receipt, how });
    log.close();
    const { get } = await asking(test);
    const read = () => get<StoryDetail>(`/api/story/${STORY}`);
    expect(await read()).toMatchObject({ receipts: [], unverified: 2 });
    expect(await read()).toMatchObject({ receipts: [], unverified: 2 });
    mkdirSync(dirname(receiptKeyFile(test.env)), { recursive: true, mode: 0o700 });
    cpSync(receiptKeyFile(elsewhere), receiptKeyFile(test.env));
    expect(await read()).toMatchObject({
      receipts: [{ how: "one" }, { how: "two" }],
      unverified: 0,
    });
  });

  it("has what the last gate said about older code, and who accepted the code as it is", async () => {
    const test = await withWork();
    const { get } = await asking(test);
    const read = () => get<StoryDetail>(`/api/story/${STORY}`);
    const log = withSeals(await openStore(test.path).startRun(STORY), test.env);
    const gate = { at: new Date().toISOString(), ms: 1, type: "gate" } as const;
    const finding = { rule: "protected", file: "ci.yml", message: "It was changed." };
    const older = { ...gate, gate: "diff", tree: "a".repeat(40), isPassed: false };
    log.append({ ...older, findings: [finding] });
    const before = await read();
    expect(before).toMatchObject({ objections: [], lastObjections: [{ rule: "protected" }] });
    expect(before.accepted).toBeUndefined();
    const now = { ...gate, tree: before.tree, isPassed: true, findings: [] };
    log.append({ ...now, gate: "diff" });
    log.append({ ...now, gate: "person", how: "accepted by Ada" });
    log.close();
    const after = await read();
    expect(after).toMatchObject({ missing: [], accepted: { how: "accepted by Ada" } });
    expect(after.lastObjections).toBeUndefined();
  });

  it("lists its snapshots, newest first, also when its branch is gone", async () => {
    const test = await withWork();
    const { get } = await asking(test);
    const read = async () => (await get<StoryDetail>(`/api/story/${STORY}`)).snapshots;
    expect(await read()).toEqual([]);
    const commit = test.git("rev-parse", `story/${STORY}`);
    for (const number of [1, 2]) {
      test.git("update-ref", `refs/saga/keep/${STORY}/${number}`, commit);
    }
    test.git("worktree", "remove", "--force", join(test.path, `.saga/worktrees/${STORY}`));
    test.git("branch", "-D", `story/${STORY}`);
    expect(await read()).toMatchObject([
      { number: 2, why: "Do form" },
      { number: 1, why: "Do form", files: expect.any(Number) as number },
    ]);
  });

  it("says what is wrong with its files", async () => {
    const test = newRepository();
    test.write(`.saga/stories/${STORY}/form.json`, "{ oops");
    const { get } = await asking(test);
    const detail = await get<StoryDetail>(`/api/story/${STORY}`);
    expect(detail.problems).toMatchObject([{ story: STORY, line: 1 }]);
  });

  it("is shown where there is no git, without what git knows", async () => {
    const project = newProject();
    project.write(".saga/stories/add-login/story.json", aStory("add-login"));
    project.write(".saga/stories/add-login/form.json", aTask("form"));
    const { ask, own } = await startTestDashboard(project);
    const detail = JSON.parse(
      (await ask("/api/story/add-login", { headers: own })).text,
    ) as StoryDetail;
    expect(detail.tasks).toHaveLength(1);
    expect(detail.commits).toEqual([]);
    expect(detail.problems[0]?.message).toContain("is not in a git repository");
  });

  it("is its text, in the older form", async () => {
    const test = newRepository();
    test.write(".saga/stories/old.md", "---\ntitle: Old\n---\n# Hello <script>\n");
    const { get } = await asking(test);
    expect(await get("/api/story/old")).toMatchObject({
      title: "Old",
      markdown: "# Hello <script>",
    });
  });
});

describe("a diff", () => {
  it("is all of a story's work, without Saga's own files", async () => {
    const { get } = await asking(await withWork());
    const { diff, files, isCut } = await get<StoryDiff>(`/api/story/${STORY}/diff`);
    expect(files).toEqual([{ path: "new file.txt", added: 2, removed: 0 }]);
    expect(diff).toContain("+two");
    expect(diff).not.toContain(".saga");
    expect(isCut).toBe(false);
  });

  it("is one commit's, of the story's own and no other", async () => {
    const test = await withWork();
    const { get, status } = await asking(test);
    const { commits } = await get<StoryDetail>(`/api/story/${STORY}`);
    const commit = commits.find(({ task }) => task === "form")?.commit ?? "";
    const { files } = await get<StoryDiff>(`/api/story/${STORY}/diff?commit=${commit}`);
    expect(files).toHaveLength(1);
    const foreign = test.git("rev-parse", "HEAD");
    expect(await status(`/api/story/${STORY}/diff?commit=${foreign}`)).toBe(404);
  });

  it("is still there when the story was merged by hand, with its commits and nobody else's", async () => {
    const test = await withWork();
    test.write("other.txt", "someone else's\n");
    test.git("add", "other.txt");
    test.git("commit", "--quiet", "--message=Other work");
    rmSync(join(test.path, ".saga/stories"), { recursive: true });
    test.git("merge", "--quiet", "--no-ff", "--no-edit", `story/${STORY}`);
    test.git("commit", "--quiet", "--allow-empty", "--message=Later");
    const { get } = await asking(test);
    const { files } = await get<StoryDiff>(`/api/story/${STORY}/diff`);
    expect(files).toEqual([{ path: "new file.txt", added: 2, removed: 0 }]);
    const { commits } = await get<StoryDetail>(`/api/story/${STORY}`);
    expect(commits.map(({ subject }) => subject)).toContain("Do form");
    expect(commits.map(({ subject }) => subject)).not.toContain("Other work");
  });

  it("is still there when the target was moved forward to it: its run knows where it began", async () => {
    const test = await withWork();
    const [commit = ""] = test.git("rev-list", "--reverse", `main..story/${STORY}`).split("\n");
    const log = await openStore(test.path).startRun(STORY);
    log.update({ start: { commit, seal: "0".repeat(64) } });
    log.close();
    rmSync(join(test.path, ".saga/stories"), { recursive: true });
    test.git("merge", "--quiet", "--ff-only", `story/${STORY}`);
    const { get } = await asking(test);
    const { files } = await get<StoryDiff>(`/api/story/${STORY}/diff`);
    expect(files).toEqual([{ path: "new file.txt", added: 2, removed: 0 }]);
  });

  it("leaves out a file that is too large, whole, and shows the others", async () => {
    const test = newRepository();
    const { folder } = await prepare(test);
    writeFileSync(join(folder, "a-long.txt"), "line\n".repeat(20_000));
    writeFileSync(join(folder, "b-wide.txt"), "x".repeat(600_000));
    writeFileSync(join(folder, "ç small.txt"), "small\n");
    const { git } = await test.open();
    const task = { id: "form", subject: "Do form" };
    await commitTask({ git: git.at(folder), storyId: STORY, task, exclude: [] });
    const { get } = await asking(test);
    const { diff, files, isCut } = await get<StoryDiff>(`/api/story/${STORY}/diff`);
    expect(isCut).toBe(true);
    expect(files.map(({ path }) => path)).toEqual(["a-long.txt", "b-wide.txt", "ç small.txt"]);
    expect(diff.match(/^diff --git .*$/gm)).toEqual(["diff --git a/ç small.txt b/ç small.txt"]);
    expect(diff).toContain("+small");
  });

  it("is empty for a story that was never begun", async () => {
    const { get } = await asking(newRepository());
    expect(await get(`/api/story/${STORY}/diff`)).toEqual({ diff: "", isCut: false, files: [] });
  });

  it("counts renamed and binary files too", () => {
    expect(
      filesIn(["1\t2\ta b.txt", "3\t4\t", "old.ts", "new.ts", "-\t-\timage.png", ""].join("\0")),
    ).toEqual([
      { path: "a b.txt", added: 1, removed: 2 },
      { path: "new.ts", added: 3, removed: 4 },
      { path: "image.png", added: 0, removed: 0 },
    ]);
  });
});
