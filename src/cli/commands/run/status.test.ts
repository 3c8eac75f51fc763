import { describe, expect, it, onTestFinished } from "vitest";
import { aStory, aTask, newProject, type Project } from "../../../../test/support/project.ts";
import { aLooseTask, withTasks } from "../../../../test/support/task-commands.ts";
import { openStore } from "../../../store/file-store.ts";
import { CONFLICTS_ABOUT } from "../../../story/early-warning/conflict-words.ts";
import { storyLease } from "../../../store/leases/lease-names.ts";
import type { Run } from "../../../story/state/run.ts";

const AT = new Date().toISOString();

function addStory(project: Project, id: string, more: Record<string, unknown> = {}): void {
  project.write(`.saga/stories/${id}/story.json`, aStory(id, more));
  project.write(`.saga/stories/${id}/t.json`, aTask("t"));
}

async function endRun(project: Project, id: string, run: Partial<Run>): Promise<void> {
  (await openStore(project.path).startRun(id, { endedAt: AT, ...run })).close();
}

const idsIn = (status: Record<string, unknown>, section: string): unknown[] =>
  (status[section] as { story: string }[]).map(({ story }) => story);

describe("saga status", () => {
  it("shows ten stories that can be started, most urgent first, and the command that lists the rest", async () => {
    const project = newProject();
    addStory(project, "zebra", { priority: 0 });
    for (let at = 10; at < 25; at++) addStory(project, `story-${at}`);
    const { stdout } = await project.saga("status");
    const lines = stdout.split("\n");
    expect(lines.slice(0, 4)).toEqual([
      "Nothing is running.",
      "",
      "Ready to start",
      "  ○ zebra     ready  saga run zebra",
    ]);
    expect(stdout).toContain("  and 6 more: `saga list --state ready`");
    expect(idsIn((await project.saga("status", "--json")).json(), "start")).toHaveLength(16);
  });

  it("shows conflicts ahead between unmerged stories, and none with a story that has ended", async () => {
    const project = newProject();
    const { openWorks } = openStore(project.path);
    const changes = { paths: ["a.ts"], emptied: [], isEverything: false };
    const merges = ["two", "three"].map((name) => ({
      kind: "story" as const,
      name,
      commit: "1",
      files: ["a.ts"],
      since: AT,
    }));
    for (const id of ["one", "two", "three"]) {
      addStory(project, id, { status: id === "three" ? "completed" : "in_progress" });
      const work = { story: id, title: id, intent: "", tip: "1", changes, at: AT };
      await openWorks.write({ ...work, merges: id === "one" ? merges : [] });
    }
    project.write(".saga/stories/three/t.json", aTask("t", { status: "completed" }));
    const { stdout } = await project.saga("status");
    expect(stdout).toContain(`Conflicts ahead\n  ⚠ one and two  a.ts\n  ${CONFLICTS_ABOUT}\n\n`);
  });

  it("aligns running stories", async () => {
    const project = newProject();
    const store = openStore(project.path);
    for (const id of ["api", "checkout"]) {
      addStory(project, id);
      const { lease } = await store.leases.acquire(storyLease(id), { owner: id, ttlMs: 60_000 });
      onTestFinished(() => lease?.release());
    }
    const { stdout } = await project.saga("status");
    expect(stdout).toContain("  ◐ api       0 of 1 task\n  ◐ checkout  0 of 1 task\n");
  });

  it.each([
    ["stopped", { outcome: "stopped" }, "stopped  saga resume one"],
    ["killed", { outcome: "killed" }, "killed  saga resume one"],
    ["limit", { outcome: "limit", limit: "time", reason: "Time limit." }, "limit  saga resume one"],
    ["sent-back", { outcome: "sent-back" }, "sent back  saga run one"],
    ["answered", { outcome: "blocked" }, "answered  saga run one"],
  ] as const)("shows a story that is %s as ready to continue", async (kind, run, row) => {
    const project = newProject();
    addStory(project, "one", { status: "in_progress" });
    await endRun(project, "one", run);
    const { stdout } = await project.saga("status");
    expect(stdout).toContain(`Ready to continue\n  `);
    expect(stdout).toContain(row);
    const status = (await project.saga("status", "--json")).json();
    expect(status["continue"]).toMatchObject([{ story: "one", kind }]);
    expect(idsIn(status, "needsYou")).toEqual([]);
  });

  it("counts killed stories as without a worker, but not those that were stopped, reached a limit or failed", async () => {
    const project = newProject();
    for (const outcome of ["stopped", "limit", "failed", "killed"] as const) {
      addStory(project, outcome, { status: "in_progress" });
      await endRun(project, outcome, { outcome });
    }
    const { stdout } = await project.saga("status");
    expect(stdout.trimEnd().split("\n").at(-1)).toBe(
      "1 unfinished story without a worker: `saga recover`",
    );
    expect((await project.saga("list")).stdout).toContain("1 unfinished story without a worker");
  });

  it("shows an answered story as ready to continue", async () => {
    const project = newProject();
    addStory(project, "one", { status: "in_progress" });
    await endRun(project, "one", { outcome: "blocked" });
    await project.saga("journal", "one", "--blocker", "Which database?");
    const shown = (await project.saga("status")).stdout;
    expect(shown).toContain('saga resolve one "…" --run\n      b1: Which database?');
    await project.saga("resolve", "one", "PostgreSQL.");
    const { stdout } = await project.saga("status");
    expect(stdout).toContain("Ready to continue\n  ○ one  answered  saga run one");
  });

  it("lists pool tasks that need a person, and ready tasks without a pool", async () => {
    const project = withTasks(
      aLooseTask("1", {
        subject: "Pick a font",
        metadata: { saga: { held: { kind: "blocker", why: "Which font?", at: AT } } },
      }),
      aLooseTask("2"),
    );
    const listed = (await project.saga("task", "list", "--json")).json()["tasks"];
    expect(listed).toContainEqual(expect.objectContaining({ id: "1", state: "needs-you" }));
    const { stdout } = await project.saga("status");
    expect(stdout).toMatch(/Needs you\n {2}■ pool task 1 {2}needs you {2}saga task release 1/);
    expect(stdout).toContain("      Pick a font");
    expect(stdout).toMatch(
      /Ready to start\n {2}○ pool chores {2}1 loose task ready {2}saga auto\n/,
    );
    expect((await project.saga("status", "--json")).json()).toMatchObject({
      poolTasks: [{ task: "1", list: "chores", kind: "needs-you" }],
      poolReady: [{ list: "chores", tasks: 1 }],
    });
  });
});

it("status and show print why a story failed, harmless for the terminal", async () => {
  const project = newProject();
  addStory(project, "s", { status: "in_progress" });
  const reason = "Stopped: two sessions in a row completed no task.";
  await endRun(project, "s", { outcome: "failed", reason: `${reason}\u001b[31m` });
  const { stdout } = await project.saga("status");
  expect(stdout).toContain(`  ✗ s  failed  saga logs s\n      ${reason}␛[31m\n`);
  expect((await project.saga("show", "s")).stdout).toMatch(/failed .* two sessions .*␛\[31m\n/);
  const status = (await project.saga("status", "--json")).json();
  expect(status["needsYou"]).toMatchObject([
    { story: "s", state: "failed", reason: expect.stringContaining(reason) as string },
  ]);
});
