import { cpSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { startTestDashboard } from "../../../test/support/dashboard.ts";
import { aStory, aTask, newFolder, newProject } from "../../../test/support/project.ts";
import { newRepository, STORY } from "../../../test/support/repository.ts";
import { askDashboard, withWork } from "../../../test/support/story-with-work.ts";
import { openStore } from "../../store/file-store.ts";
import { receiptKeyFile } from "../../store/runs/receipt-key.ts";
import { withSeals } from "../../store/runs/receipts.ts";
import type { StoryDetail, Timeline } from "../protocol/details.ts";

describe("a story's details", () => {
  it("include its definition, tasks, runs and commits", async () => {
    const test = await withWork();
    const store = openStore(test.path);
    const log = await store.startRun(STORY, { model: "opus" });
    log.update({ endedAt: new Date().toISOString(), outcome: "done", costUsd: 2, cycles: 3 });
    log.close();
    const { get } = await askDashboard(test);
    const detail = await get<StoryDetail>(`/api/story/${STORY}`);
    expect(detail).toMatchObject({
      title: `Title of ${STORY}`,
      description: `What ${STORY} is about.`,
      tasks: [{ id: "form", description: "How to do form.", checks: [] }],
      runs: [{ outcome: "done", costUsd: 2, cycles: 3, model: "opus" }],
      missing: ["its diff was not checked"],
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

  it("name nothing that blocks its merge once it is merged, even if the copy here is older", async () => {
    const test = await withWork();
    const log = await openStore(test.path).startRun(STORY);
    log.update({ endedAt: new Date().toISOString(), outcome: "merged" });
    log.close();
    const { get } = await askDashboard(test);
    const read = (): Promise<StoryDetail> => get<StoryDetail>(`/api/story/${STORY}`);
    // Any program of this user could write such a run: git has to confirm it.
    expect((await read()).missing).toHaveLength(1);
    test.git("update-ref", `refs/saga/merged/${STORY}`, `story/${STORY}`);
    expect(await read()).toMatchObject({ missing: [], mergeBlockers: [] });
  });

  it("include the journal and its open questions", async () => {
    const test = await withWork();
    const store = openStore(test.path);
    const at = "2026-11-15T21:48:00.000Z";
    await store.appendJournal(STORY, {
      kind: "blocker",
      at,
      title: "Which?",
      body: "This or that.",
    });
    const { get } = await askDashboard(test);
    const { journal } = await get<StoryDetail>(`/api/story/${STORY}`);
    expect(journal).toEqual([
      { kind: "blocker", at, title: "Which?", body: "This or that.", blocker: "b1", isOpen: true },
    ]);
  });

  it("count receipts sealed with another key separately, until that key is restored", async () => {
    const test = await withWork();
    const elsewhere = { HOME: newFolder("elsewhere").path };
    const log = withSeals(await openStore(test.path).startRun(STORY), elsewhere);
    const at = new Date().toISOString();
    const receipt = { at, gate: "diff", tree: "a".repeat(40), isPassed: true, ms: 1, findings: [] };
    for (const how of ["one", "two"]) log.append({ type: "gate", ...receipt, how });
    log.close();
    const { get } = await askDashboard(test);
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

  it("include the findings on older code, and the approval of the current code", async () => {
    const test = await withWork();
    const { get } = await askDashboard(test);
    const read = () => get<StoryDetail>(`/api/story/${STORY}`);
    const log = withSeals(await openStore(test.path).startRun(STORY), test.env);
    const gate = { at: new Date().toISOString(), ms: 1, type: "gate" } as const;
    const finding = { rule: "protected", file: "ci.yml", message: "It was changed." };
    const older = { ...gate, gate: "diff", tree: "a".repeat(40), isPassed: false };
    log.append({ ...older, findings: [finding] });
    const before = await read();
    expect(before).toMatchObject({ mergeBlockers: [], lastMergeBlockers: [{ rule: "protected" }] });
    expect(before.accepted).toBeUndefined();
    const now = { ...gate, tree: before.tree, isPassed: true, findings: [] };
    log.append({ ...now, gate: "diff" });
    log.append({ ...now, gate: "person", how: "accepted by Ada" });
    log.close();
    const after = await read();
    expect(after).toMatchObject({ missing: [], accepted: { how: "accepted by Ada" } });
    expect(after.lastMergeBlockers).toBeUndefined();
  });

  it("list its snapshots, newest first, even without its branch", async () => {
    const test = await withWork();
    const { get } = await askDashboard(test);
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

  it("include problems in its files", async () => {
    const test = newRepository();
    test.write(`.saga/stories/${STORY}/form.json`, "{ oops");
    const { get } = await askDashboard(test);
    const detail = await get<StoryDetail>(`/api/story/${STORY}`);
    expect(detail.problems).toMatchObject([{ story: STORY, line: 1 }]);
  });

  it("are shown without git, without commits", async () => {
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

  it("are its text in the older format", async () => {
    const test = newRepository();
    test.write(".saga/stories/old.md", "---\ntitle: Old\n---\n# Hello <script>\n");
    const { get } = await askDashboard(test);
    expect(await get("/api/story/old")).toMatchObject({
      title: "Old",
      markdown: "# Hello <script>",
    });
  });
});
