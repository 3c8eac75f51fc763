import { describe, expect, it } from "vitest";
import { follow, withStory } from "../../../test/support/dashboard.ts";
import { openStore } from "../../store/file-store.ts";
import { localDay } from "../../text/local-day.ts";
import { newRunId } from "../../story/state/run-id.ts";

describe("a run", () => {
  it("is shown with its worker, last action and cost, and stays after its end", async () => {
    const project = withStory();
    const store = openStore(project.path);
    const { story, entities, until } = await follow(project);
    const { lease } = await store.leases.acquire("story.add-login", {
      owner: "test",
      ttlMs: 60_000,
    });
    await until(() => story("add-login")?.state === "running");
    const log = await store.startRun("add-login", { session: "saga-story-add-login-1" });
    await until(() => story("add-login")?.run?.id === log.run.id);
    const at = new Date().toISOString();
    log.append({ at, type: "tool.called", id: "1", tool: "Bash", about: "npm test" });
    await until(() => story("add-login")?.run?.lastAction?.text === "Bash npm test");
    // A running agent updates its cost with each answer of the model.
    log.update({ costUsd: 1.1, costIsEstimate: true }, { isDurable: false });
    await until(() => story("add-login")?.costUsd === 1.1);
    expect(story("add-login")).toMatchObject({
      costIsEstimate: true,
      run: { costUsd: 1.1, costIsEstimate: true },
    });
    expect(entities.get("project", "project")).toMatchObject({
      costTodayUsd: 1.1,
      costTodayIsEstimate: true,
    });
    const end = { endedAt: at, outcome: "failed", reason: "It did not work." } as const;
    log.update({ ...end, costUsd: 1.5, costIsEstimate: false });
    log.close();
    await lease?.release();
    await until(() => story("add-login")?.state === "failed");
    await until(() => story("add-login")?.costUsd === 1.5);
    expect(story("add-login")).toMatchObject({
      reason: "It did not work.",
      run: { outcome: "failed", session: "saga-story-add-login-1" },
    });
    expect(story("add-login")?.costIsEstimate).toBeUndefined();
    const { costTodayUsd, costTodayIsEstimate } = entities.get("project", "project") ?? {};
    expect([costTodayUsd, costTodayIsEstimate]).toEqual([1.5, undefined]);
  });

  it("from before today counts with what it has cost today, as in `saga cost`", async () => {
    const project = withStory();
    const startedMs = Date.now() - 2 * 86_400_000;
    const startedAt = new Date(startedMs).toISOString();
    const id = newRunId(startedMs, "abcdef");
    const costByDay = { [localDay(startedMs)]: 4, [localDay(Date.now())]: 1.5 };
    const run = { id, story: "add-login", startedAt, costUsd: 5.5, costByDay };
    project.write(`.saga/runs/add-login/${id}/run.json`, run);
    const { entities } = await follow(project);
    expect(entities.get("project", "project")?.costTodayUsd).toBe(1.5);
    const { today } = (await project.saga("cost", "--json")).json() as { today: object };
    expect(today).toMatchObject({ costUsd: 1.5 });
  });

  it("reports that its log has grown", async () => {
    const project = withStory();
    const store = openStore(project.path);
    const log = await store.startRun("add-login");
    const { onLog } = await follow(project);
    const reported = new Promise((resolve) => onLog((story, run) => resolve([story, run])));
    log.append({ at: new Date().toISOString(), type: "agent.said", text: "hello" });
    expect(await reported).toEqual(["add-login", log.run.id]);
    log.close();
  });

  it("shows an open question of the journal until it is answered", async () => {
    const project = withStory();
    const store = openStore(project.path);
    const { story, until } = await follow(project);
    const at = new Date().toISOString();
    await store.appendJournal("add-login", { kind: "blocker", at, title: "Which one?", body: "" });
    await until(() => story("add-login")?.question === "Which one?");
    expect(story("add-login")?.blocker).toBe("b1");
    expect(story("add-login")).toMatchObject({ state: "blocked", openQuestions: 1 });
    await store.appendJournal("add-login", { kind: "resolution", at, title: "This.", body: "" });
    await until(() => story("add-login")?.openQuestions === 0);
  });
});
