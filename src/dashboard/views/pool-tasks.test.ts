import { describe, expect, it } from "vitest";
import { claudeTask } from "../../../test/support/claude-list.ts";
import type { ClaudeCodeTask } from "../../claude/tasks/format.ts";
import { newListing, type PoolListing } from "../../tasks/listing.ts";
import { poolTaskOf } from "../../tasks/task.ts";
import { poolTaskCards } from "./pool-tasks.ts";

/** A list of these tasks, an open one and a completed one. */
function listing(...tasks: ClaudeCodeTask[]): PoolListing {
  const list = newListing((id) => `/list/${id}.json`);
  const others = [claudeTask("open"), claudeTask("done", { status: "completed" })];
  for (const task of [...tasks, ...others]) {
    const { task: pool, problem: message } = poolTaskOf(task, 0);
    const problem = { kind: "invalid-task", message: message ?? "" } as const;
    list.put(task.id, pool ? { task, pool } : { task, problem });
  }
  return list;
}

describe("the state of a task", () => {
  const isOwn = (owner: string): boolean => owner === "auto-1";
  const held = { saga: { held: { kind: "blocker", why: "Which?", at: "x" }, attempts: 2 } };
  it.each<[state: string, why: string | undefined, task: ClaudeCodeTask]>([
    ["ready", undefined, claudeTask("1")],
    ["waiting", undefined, claudeTask("1", { blockedBy: ["open"] })],
    ["ready", undefined, claudeTask("1", { blockedBy: ["done"] })],
    [
      "broken",
      "Task 1 waits for none, which does not exist.",
      claudeTask("1", { blockedBy: ["none"] }),
    ],
    ["working", undefined, claudeTask("1", { status: "in_progress", owner: "auto-1" })],
    ["elsewhere", undefined, claudeTask("1", { status: "in_progress", owner: "someone" })],
    ["elsewhere", undefined, claudeTask("1", { status: "in_progress" })],
    ["needs-you", "Which?", claudeTask("1", { metadata: held })],
    ["completed", undefined, claudeTask("1", { status: "completed", blockedBy: ["none"] })],
    ["ready", "It failed.", claudeTask("1", { metadata: { saga: { lastFailure: "It failed." } } })],
    [
      "broken",
      "`metadata.priority` must be a number, but is a string.",
      claudeTask("1", { metadata: { priority: "high", saga: 7, label: [] } }),
    ],
  ])("%s", (state, why, task) => {
    const facts = { dead: new Set<string>(), running: new Map(), isOwn };
    const card = poolTaskCards(listing(task), facts).find(({ id }) => id === "1");
    expect(card).toMatchObject({ state, why });
  });

  it("needs-you is a question if an agent asked, not if the task was parked", () => {
    const facts = { dead: new Set<string>(), running: new Map(), isOwn };
    const isQuestion = (kind: string): boolean | undefined => {
      const metadata = { saga: { held: { kind, why: "Which?", at: "2026-11-16T15:24:00.000Z" } } };
      return poolTaskCards(listing(claudeTask("1", { metadata })), facts)[0]?.isQuestion;
    };
    expect([isQuestion("blocker"), isQuestion("parked")]).toEqual([true, undefined]);
  });

  it("is abandoned if its owner has died, but not while a live worker works on it", () => {
    const mine = claudeTask("1", { status: "in_progress", owner: "auto-1" });
    const dead = new Set(["1"]);
    const card = (running: Parameters<typeof poolTaskCards>[1]["running"]) =>
      poolTaskCards(listing(mine), { dead, running, isOwn })[0];
    expect(card(new Map())).toMatchObject({
      state: "abandoned",
      why: "auto-1 has died. The pool will take the task back.",
    });
    expect(card(new Map([["1", { worker: "auto-1", sinceMs: 0 }]]))?.state).toBe("working");
  });

  it("broken still shows every field that Claude sees", () => {
    const owned = { owner: "auto-9", blockedBy: ["open"], metadata: { priority: "high" } };
    const card = poolTaskCards(listing(claudeTask("open"), claudeTask("1", owned)), {
      dead: new Set(),
      running: new Map(),
      isOwn,
    }).find(({ id }) => id === "1");
    expect(card).toMatchObject({
      subject: "Do 1",
      state: "broken",
      priority: 3,
      owner: "auto-9",
      blockedBy: ["open"],
    });
  });
});
