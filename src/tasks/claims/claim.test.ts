import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { aCard, aDeadCard, forgeClaim, newClaimer, stamp } from "../../../test/support/claims.ts";
import { claudeTask, newList, taskIn } from "../../../test/support/claude-list.ts";
import { canMount, fill, mounted, useUpNames } from "../../../test/support/disk.ts";
import type { ClaudeCodeTask } from "../../claude/tasks/format.ts";
import { claimTask, type Claim, type ClaimResult } from "./claim.ts";
import { newClaimObserver } from "../../store/claims/claim-observer.ts";
import type { Claimer } from "../../store/claims/claimer.ts";
import { createTaskList, readTaskList, updateTask } from "../../claude/tasks/list.ts";

const numbersOf = (list: string, id: string): string[] =>
  readdirSync(join(list, ".claims"))
    .filter((name) => name.startsWith(`${id}.`))
    .toSorted();

/** The claim. Fails with the reason if there is none. */
function inHand(claimed: ClaimResult): Claim {
  if (claimed.kind === "claimed") return claimed.claim;
  throw new Error(JSON.stringify(claimed));
}
const claim = async (list: string, claimer: Claimer, id = "1"): Promise<Claim> =>
  inHand(await claimTask(list, claimer, id));

const KEPT = { metadata: { mine: [1], priority: 2 }, extra: { deep: true } };

describe("a claim", () => {
  it("is written into the task, without a file that Claude would read", async () => {
    const list = newList(claudeTask("1", KEPT));
    const claimed = await claimTask(list, newClaimer(list), "1");
    const after = claudeTask("1", { ...KEPT, status: "in_progress", owner: "auto-1" });
    expect(claimed).toMatchObject({ kind: "claimed", task: after });
    expect(taskIn(list, "1")).toEqual(after);
    expect(readdirSync(list).toSorted()).toEqual([".claims", "1.json"]);
    expect(await readTaskList(list)).toEqual([after]);
  });

  it("excludes others, and names the owner", async () => {
    const list = newList(claudeTask("1"));
    const mine = await claim(list, newClaimer(list));
    expect(await claimTask(list, newClaimer(list, "auto-2", "there"), "1")).toMatchObject({
      kind: "held",
      by: { owner: "auto-1", instance: "here", pid: process.pid },
    });
    expect(await mine.isMine()).toBe(true);
    expect(numbersOf(list, "1")).toEqual(["1.1"]);
  });

  it("that is returned leaves the task as it was, free for others", async () => {
    const before = claudeTask("1", { ...KEPT, metadata: { saga: { attempts: 1 } } });
    const list = newList(before);
    const first = newClaimer(list);
    const mine = await claim(list, first);
    await mine.update((task) => ({ ...task, metadata: { saga: { attempts: 1, run: "r1" } } }));
    expect(await mine.returnTask()).toBe("done");
    // The run's id is gone again.
    expect(taskIn(list, "1")).toEqual(before);
    expect(await mine.isMine()).toBe(false);
    const theirs = await claim(list, newClaimer(list, "auto-2", "there"));
    expect([theirs.fence, await theirs.isMine()]).toEqual([2, true]);
  });

  it("that is completed leaves the task completed and without owner", async () => {
    const list = newList(claudeTask("1", { metadata: { saga: { run: "r0", note: "kept" } } }));
    const mine = await claim(list, newClaimer(list));
    expect(await mine.complete((task) => ({ ...task, activeForm: "Done" }))).toBe("done");
    expect(taskIn(list, "1")).toEqual(
      claudeTask("1", {
        activeForm: "Done",
        status: "completed",
        metadata: { saga: { note: "kept" } },
      }),
    );
    const late = await claimTask(list, newClaimer(list, "auto-2"), "1");
    expect(late).toEqual({ kind: "changed", why: "It is completed." });
    expect(numbersOf(list, "1")).toEqual(["1.1"]);
  });

  it("lets its owner change the task, except for its owner and status", async () => {
    const list = newList(claudeTask("1"));
    const mine = await claim(list, newClaimer(list));
    const change = (task: ClaudeCodeTask): ClaudeCodeTask => ({
      ...task,
      subject: "New",
      status: "completed",
      owner: "x",
    });
    expect(await mine.update(change)).toBe("done");
    expect(taskIn(list, "1")).toMatchObject({
      subject: "New",
      status: "in_progress",
      owner: "auto-1",
    });
  });

  it("records the age of a task without a number, which its file loses", async () => {
    const list = newList(claudeTask("fix-it"), claudeTask("1"));
    await claim(list, newClaimer(list), "fix-it");
    await claim(list, newClaimer(list, "auto-2"));
    expect(taskIn(list, "fix-it").metadata).toEqual({
      saga: { createdAt: expect.stringMatching(/^\d{4}-.*Z$/) as string },
    });
    expect(taskIn(list, "1").metadata).toBeUndefined();
  });
});

describe("a task cannot be claimed", () => {
  const held = { saga: { held: { kind: "parked", why: "w", at: "2026-01-01T00:00:00Z" } } };

  it.each([
    ["It is in progress.", claudeTask("1", { status: "in_progress" })],
    ["It is completed.", claudeTask("1", { status: "completed" })],
    ["It belongs to alice.", claudeTask("1", { owner: "alice" })],
    ["It is on hold until a person releases it.", claudeTask("1", { metadata: held })],
  ])("%s", async (why, task) => {
    const list = newList(task);
    expect(await claimTask(list, newClaimer(list), "1")).toEqual({ kind: "changed", why });
    expect(taskIn(list, "1")).toEqual(task);
  });

  it("until that changes", async () => {
    const list = newList(claudeTask("1", { owner: "alice" }));
    const claimer = newClaimer(list);
    for (let turn = 0; turn < 3; turn++) await claimTask(list, claimer, "1");
    // No fence is used on a task that cannot be claimed.
    expect(numbersOf(list, "1")).toEqual([]);
    await updateTask(list, "1", (task) => ({ ...task, owner: "" }));
    expect(await (await claim(list, newClaimer(list, "auto-2"))).isMine()).toBe(true);
  });

  it("when its file is gone or is not a task", async () => {
    const list = newList(claudeTask("1"));
    expect(await claimTask(list, newClaimer(list), "2")).toEqual({ kind: "gone" });
    writeFileSync(join(list, "1.json"), "{");
    expect(await claimTask(list, newClaimer(list), "1")).toMatchObject({
      kind: "changed",
      why: expect.stringContaining("is not JSON") as string,
    });
    rmSync(list, { recursive: true });
    expect(await claimTask(list, newClaimer(list), "1")).toEqual({ kind: "gone" });
  });

  it.each(["../1", "a/b", "a.b", ""])("under an invalid name: %j", async (id) => {
    const list = newList(claudeTask("1"));
    await expect(claimTask(list, newClaimer(list), id)).rejects.toMatchObject({ code: "bad-id" });
  });
});

describe("an owner that was counted as dead", () => {
  it("notices that, and writes nothing more", async () => {
    const list = newList(claudeTask("1"));
    const mine = await claim(list, newClaimer(list));
    forgeClaim(list, "1", 2, aCard({ owner: "auto-7" }));
    const theirs = { ...taskIn(list, "1"), owner: "auto-7" };
    writeFileSync(join(list, "1.json"), JSON.stringify(theirs));
    expect(await mine.isMine()).toBe(false);
    expect(await mine.update((task) => ({ ...task, subject: "mine" }))).toBe("lost");
    expect(await mine.complete()).toBe("lost");
    expect(await mine.returnTask()).toBe("lost");
    expect(taskIn(list, "1")).toEqual(theirs);
    expect(numbersOf(list, "1")).toEqual(["1.1", "1.2"]);
  });

  it("notices it even when all claims were deleted and numbers started again", async () => {
    const list = newList(claudeTask("1"));
    const mine = await claim(list, newClaimer(list));
    rmSync(join(list, ".claims/1.1"));
    expect(await mine.isMine()).toBe(false);
    forgeClaim(list, "1", 1, aCard());
    expect(await mine.isMine()).toBe(false);
  });

  it("whose process is gone loses its claim to exactly one other", async () => {
    const list = newList(claudeTask("1"));
    forgeClaim(list, "1", 1, aDeadCard());
    const both = await Promise.all(
      ["auto-2", "auto-3"].map((owner) => claimTask(list, newClaimer(list, owner), "1")),
    );
    expect(both.map(({ kind }) => kind).toSorted()).toEqual(["claimed", "held"]);
    expect(numbersOf(list, "1")).toEqual(["1.1", "1.2"]);
  });
});

describe("a claimer that acts on what it saw a moment ago", () => {
  it.each([
    ["dead", aDeadCard()],
    ["released", undefined],
  ])("starts again when the claim before its own, which was %s, was deleted", async (_, card) => {
    const list = newList(claudeTask("1"));
    for (const number of [1, 2]) forgeClaim(list, "1", number, card);
    const mayTake = async (): Promise<boolean> => {
      for (const name of numbersOf(list, "1")) rmSync(join(list, ".claims", name));
      return true;
    };
    const attempt = await newClaimer(list).take("1", { mayTake });
    expect(attempt?.lease).toMatchObject({ fence: 1, tookOverFrom: undefined });
    expect(numbersOf(list, "1")).toEqual(["1.1"]);
  });

  it("takes nothing when there is a later claim", async () => {
    const list = newList(claudeTask("1"));
    const mayTake = async (): Promise<boolean> => {
      forgeClaim(list, "1", 2, aCard({ owner: "auto-7" }));
      return true;
    };
    const attempt = await newClaimer(list).take("1", { mayTake });
    expect(attempt?.heldBy).toMatchObject({ owner: "auto-7" });
    expect(numbersOf(list, "1")).toEqual(["1.1", "1.2"]);
  });

  it("takes nothing from a claimer that gave a sign of life meanwhile", async () => {
    const list = newList(claudeTask("1"));
    const file = forgeClaim(list, "1", 1, aCard({ place: "another machine", ttlMs: 1000 }));
    let now = 0;
    const observer = newClaimObserver(() => now);
    const claimer = newClaimer(list, "auto-2", "here", observer);
    await claimer.read("1");
    now = 1000;
    const mayTake = async (): Promise<boolean> => {
      stamp(file, 5_000);
      return true;
    };
    expect((await claimer.take("1", { mayTake }))?.heldBy).toMatchObject({ owner: "auto-1" });
    expect(numbersOf(list, "1")).toEqual(["1.1"]);
  });
});

describe("a task that someone else changes", () => {
  const failed = (task: ClaudeCodeTask): ClaudeCodeTask => ({
    ...task,
    metadata: { saga: { attempts: 1 } },
  });

  it.each([
    [{ owner: "alice" }, { status: "in_progress", owner: "alice" }],
    [{ status: "pending" as const, owner: "" }, { status: "pending" }],
    [{ status: "pending" as const }, { status: "pending" }],
    [{ status: "completed" as const }, { status: "completed" }],
  ])("to %j stays so when it is returned, with the noted result", async (change, after) => {
    const list = newList(claudeTask("1"));
    const mine = await claim(list, newClaimer(list));
    await updateTask(list, "1", (task) => ({ ...task, ...change }));
    expect(await mine.returnTask(failed)).toBe("changed");
    const metadata = { saga: { attempts: 1 } };
    expect(taskIn(list, "1")).toEqual(claudeTask("1", { ...after, metadata } as never));
    expect(await mine.isMine()).toBe(false);
  });

  it("by deleting it is neither returned nor completed", async () => {
    const list = newList(claudeTask("1"), claudeTask("2"));
    const mine = [await claim(list, newClaimer(list)), await claim(list, newClaimer(list), "2")];
    for (const id of ["1", "2"]) rmSync(join(list, `${id}.json`));
    expect([await mine[0]?.returnTask(), await mine[1]?.complete()]).toEqual(["gone", "gone"]);
  });

  it("is still completed when its work is merged", async () => {
    const list = newList(claudeTask("1"));
    const mine = await claim(list, newClaimer(list));
    await updateTask(list, "1", (task) => ({ ...task, status: "pending" }));
    expect(await mine.complete()).toBe("done");
    expect(taskIn(list, "1")).toEqual(claudeTask("1", { status: "completed" }));
  });
});

describe("a claimer's file", () => {
  const cards = (list: string): string[] => readdirSync(join(list, ".claims/cards"));

  it("is deleted with its claimer, unless a task is still claimed with it", async () => {
    const list = newList(claudeTask("1"));
    const [idle, busy] = [newClaimer(list, "auto-1"), newClaimer(list, "auto-2")];
    await claim(list, busy);
    expect(cards(list)).toEqual(["here.auto-1", "here.auto-2"]);
    idle.close();
    busy.close();
    expect(cards(list)).toEqual(["here.auto-2"]);
  });

  it("is created again when it was deleted, and earlier claims still count", async () => {
    const list = newList(claudeTask("1"), claudeTask("2"));
    const claimer = newClaimer(list);
    const first = await claim(list, claimer);
    rmSync(join(list, ".claims/cards"), { recursive: true });
    const second = await claim(list, claimer, "2");
    expect([await first.isMine(), await second.isMine()]).toEqual([true, true]);
    await claimer.beat();
  });
});

describe.runIf(canMount)("a full disk", () => {
  it("leaves no claim that could not be written into its task", async () => {
    const list = join(mounted(256), "pool");
    createTaskList(list, [claudeTask("1", { description: "x".repeat(20_000) })]);
    const [one, other] = [newClaimer(list), newClaimer(list, "auto-2")];
    fill(join(list, ".."), 0);
    await expect(claimTask(list, one, "1")).rejects.toMatchObject({ code: "disk-full" });
    expect(taskIn(list, "1").status).toBe("pending");
    await expect(claimTask(list, other, "1")).rejects.toMatchObject({ code: "disk-full" });
  });

  it("leaves none even without space for the end of the claim", async () => {
    const list = join(mounted(256, ",nr_inodes=40"), "pool");
    createTaskList(list, [claudeTask("1")]);
    const [one, other] = [newClaimer(list), newClaimer(list, "auto-2")];
    const fillers = useUpNames(join(list, ".."));
    // Space for the claim and nothing else.
    rmSync(fillers.pop() ?? "");
    await expect(claimTask(list, one, "1")).rejects.toMatchObject({ code: "disk-full" });
    expect(numbersOf(list, "1")).toEqual([]);
    for (const filler of fillers) rmSync(filler);
    expect(await (await claim(list, other)).isMine()).toBe(true);
  });
});
