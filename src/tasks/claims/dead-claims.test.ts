import { statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  aCard,
  aDeadCard,
  claimAndDie,
  forgeClaim,
  newClaimer,
  stamp,
} from "../../../test/support/claims.ts";
import { claudeTask, newList, taskIn } from "../../../test/support/claude-list.ts";
import { bundle } from "../../../test/support/programs.ts";
import type { ClaudeCodeTask } from "../../claude/tasks/format.ts";
import { newClaimObserver } from "../../store/claims/claim-observer.ts";
import { deadClaims, recoverClaim, type DeadClaim } from "./dead-claims.ts";
import { claimTask } from "./claim.ts";
import { openClaimer } from "../../store/claims/claimer.ts";
import { updateTask } from "../../claude/tasks/list.ts";

const inProgress = (id: string, owner: string | undefined = "auto-1"): ClaudeCodeTask =>
  claudeTask(id, { status: "in_progress", ...(owner && { owner }), extra: ["kept"] });

const idsOf = (dead: readonly DeadClaim[]): string[] => dead.map(({ taskId }) => taskId);
const asItIs = () => (task: ClaudeCodeTask) => task;

describe("a task that a killed process had claimed", () => {
  it("is found, returned by exactly one process, and can be claimed again", async () => {
    const list = newList(claudeTask("1", { extra: ["kept"] }), claudeTask("2"), claudeTask("3"));
    await claimAndDie(await bundle("test/support/processes/task-claimer.ts"), list, ["1", "3"]);
    expect(taskIn(list, "1")).toMatchObject({ status: "in_progress", owner: "auto-1" });

    const dead = await deadClaims(list, newClaimObserver());
    expect(idsOf(dead)).toEqual(["1", "3"]);
    const daemons = ["a", "b", "c"].map((instance) => newClaimer(list, "auto-daemon", instance));
    for (const one of dead) {
      const ends = await Promise.all(
        daemons.map((daemon) => recoverClaim(list, daemon, one, asItIs)),
      );
      expect(ends.toSorted()).toEqual(["lost", "lost", "returned"]);
    }
    expect(taskIn(list, "1")).toEqual(claudeTask("1", { extra: ["kept"] }));
    expect(await deadClaims(list, newClaimObserver())).toEqual([]);
    expect(await claimTask(list, newClaimer(list, "auto-2"), "1")).toMatchObject({
      kind: "claimed",
    });
  });

  it("gets the change of the process that returns it: counted, or completed", async () => {
    const list = newList(inProgress("1"), inProgress("2"));
    for (const id of ["1", "2"]) forgeClaim(list, id, 1, aDeadCard());
    const daemon = newClaimer(list, "auto-daemon");
    const [one, two] = await deadClaims(list, newClaimObserver());
    if (!one || !two) throw new Error("Both are dead.");
    await recoverClaim(list, daemon, one, async () => (task) => ({
      ...task,
      metadata: { saga: { attempts: 1, run: "r1" } },
    }));
    await recoverClaim(list, daemon, two, () => (task) => ({ ...task, status: "completed" }));
    expect(taskIn(list, "1")).toMatchObject({
      status: "pending",
      metadata: { saga: { attempts: 1 } },
    });
    expect(taskIn(list, "1").metadata).toEqual({ saga: { attempts: 1 } });
    expect(taskIn(list, "2")).toEqual({
      ...claudeTask("2", { extra: ["kept"] }),
      status: "completed",
    });
  });

  it("is found even when another process died while returning it", async () => {
    const list = newList(inProgress("1"));
    forgeClaim(list, "1", 1, aDeadCard());
    forgeClaim(list, "1", 2, aDeadCard({ owner: "auto-daemon" }));
    expect(idsOf(await deadClaims(list, newClaimObserver()))).toEqual(["1"]);
  });

  it("is not returned when the task has changed meanwhile", async () => {
    const list = newList(inProgress("1"));
    forgeClaim(list, "1", 1, aDeadCard());
    const [dead] = await deadClaims(list, newClaimObserver());
    if (!dead) throw new Error("It is dead.");
    const after = await updateTask(list, "1", (task) => ({ ...task, status: "completed" }));
    expect(await recoverClaim(list, newClaimer(list), dead, asItIs)).toBe("lost");
    expect(taskIn(list, "1")).toEqual(after);
  });

  it("stays with the dead worker when the decision about it fails", async () => {
    const list = newList(inProgress("1"));
    forgeClaim(list, "1", 1, aDeadCard());
    const [dead] = await deadClaims(list, newClaimObserver());
    if (!dead) throw new Error("It is dead.");
    const failing = recoverClaim(list, newClaimer(list), dead, () => {
      throw new Error("git is gone");
    });
    await expect(failing).rejects.toThrow("git is gone");
    expect(taskIn(list, "1")).toEqual(inProgress("1"));
    expect(idsOf(await deadClaims(list, newClaimObserver()))).toEqual(["1"]);
  });
});

describe("a task of someone else", () => {
  it.each([
    ["never claimed", undefined, "alice"],
    ["claimed by the living", aCard(), "auto-1"],
    ["taken over by a person from the dead", aDeadCard(), "alice"],
    ["started by a person, of a dead claim on a pending task", aDeadCard(), undefined],
  ])("is not dead: %s", async (_, card, owner) => {
    const list = newList(inProgress("1", owner ?? ""));
    if (card) forgeClaim(list, "1", 1, card);
    expect(await deadClaims(list, newClaimObserver())).toEqual([]);
  });

  it("is not dead: started by a person after a claim ended", async () => {
    const list = newList(inProgress("1"));
    forgeClaim(list, "1", 1, aDeadCard());
    forgeClaim(list, "1", 2);
    expect(await deadClaims(list, newClaimObserver())).toEqual([]);
  });
});

describe("a power cut", () => {
  it.each([
    ["that has taken the claim", (): void => undefined],
    ["that has emptied the claim", (list: string): void => void forgeClaim(list, "1", 1)],
  ])("%s leaves a task that is recognised by its owner's name", async (_, left) => {
    const list = newList(inProgress("1"), inProgress("2", "alice"));
    left(list);
    const isClaimer = (owner: string): boolean => /^auto-\d+$/.test(owner);
    const dead = await deadClaims(list, newClaimObserver(), { isClaimer });
    expect(idsOf(dead)).toEqual(["1"]);
    const daemon = newClaimer(list, "auto-daemon");
    for (const one of dead) expect(await recoverClaim(list, daemon, one, asItIs)).toBe("returned");
    expect(taskIn(list, "1").status).toBe("pending");
  });
});

describe("a claim in another place, whose process is not visible", () => {
  const HOUR = 3_600_000;
  const TTL = 30_000;

  it.each([
    ["an hour ahead", HOUR],
    ["an hour behind", -HOUR],
    ["right", 0],
  ])("is taken over in time with a clock that is %s", async (_, aheadMs) => {
    const list = newList(inProgress("1"));
    const claim = forgeClaim(list, "1", 1, aCard({ place: "another machine", ttlMs: TTL }));
    stamp(claim, aheadMs);
    let now = 0;
    const observer = newClaimObserver(() => now);
    const look = async (): Promise<string[]> => idsOf(await deadClaims(list, observer));

    expect(await look()).toEqual([]);
    now = TTL - 1;
    expect(await look()).toEqual([]);
    // A heartbeat by that clock: a few seconds after its last one.
    stamp(claim, aheadMs + 10_000);
    now = TTL + 1;
    expect(await look()).toEqual([]);
    now = 2 * TTL;
    expect(await look()).toEqual([]);
    now = 2 * TTL + 1;
    expect(await look()).toEqual(["1"]);
  });

  it("is dead after an hour at the latest, however long its TTL", async () => {
    const list = newList(inProgress("1"));
    forgeClaim(list, "1", 1, aCard({ place: "another machine", ttlMs: 1e12 }));
    let now = 0;
    const observer = newClaimObserver(() => now);
    await deadClaims(list, observer);
    now = HOUR;
    expect(idsOf(await deadClaims(list, observer))).toEqual(["1"]);
  });

  it("stays alive with each heartbeat of its claimer, one for all claims", async () => {
    const list = newList(claudeTask("1"), claudeTask("2"));
    const claimer = newClaimer(list);
    for (const id of ["1", "2"]) await claimTask(list, claimer, id);
    const files = ["1.1", "2.1"].map((name) => join(list, ".claims", name));
    for (const file of files) stamp(file, -HOUR);
    await claimer.beat();
    const { mtimeMs } = statSync(files[1] ?? "");
    expect(Date.now() - mtimeMs).toBeLessThan(HOUR / 2);
  });

  it("excludes others from a pending task until then", async () => {
    const list = newList(claudeTask("1"));
    forgeClaim(list, "1", 1, aCard({ place: "another machine", ttlMs: TTL }));
    let now = 0;
    const observer = newClaimObserver(() => now);
    const claimer = openClaimer(list, { owner: "auto-2", instance: "i", ttlMs: TTL, observer });
    expect(await claimTask(list, claimer, "1")).toMatchObject({ kind: "held" });
    now = TTL;
    expect(await claimTask(list, claimer, "1")).toMatchObject({ kind: "claimed" });
  });
});
