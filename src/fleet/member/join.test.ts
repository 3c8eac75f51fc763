import { expect, it } from "vitest";
import type { StoryState } from "../../story/state/state.ts";
import type { ClaimedJob, Jobs } from "../engine/jobs.ts";
import type { Machines } from "../engine/machines.ts";
import { joinFleet, type MemberActions } from "./join.ts";

const ROOT = "a".repeat(40);

interface Rehearsal {
  readonly jobs: readonly string[];
  /** The states of a story, as they are read one after the other. */
  readonly states: Readonly<Record<string, readonly (StoryState | "broken")[]>>;
  readonly slots?: number;
  readonly root?: string;
}

/** A queue and a project that are scripted: what the member does with them, in order. */
async function rehearse({ jobs, states, slots = 1, root = ROOT }: Rehearsal): Promise<string[]> {
  const done: string[] = [];
  const waiting = jobs.map((story, at): ClaimedJob => {
    const work = { root, story, commit: ROOT, merge: true };
    return { id: String(at), retryCount: 0, work };
  });
  const stop = new AbortController();
  const reads = new Map<string, number>();
  const settled = (how: string) => async (claim: ClaimedJob) => {
    done.push(`${how} ${claim.work?.story ?? ""}`);
    if (done.filter((one) => SETTLED.test(one)).length === jobs.length) stop.abort();
  };
  const actions: MemberActions = {
    async readState(story) {
      const at = reads.get(story) ?? 0;
      reads.set(story, at + 1);
      const state = states[story]?.[at];
      if (state === "broken") throw new Error("The remote is gone.");
      return state;
    },
    work: async (story) => void done.push(`work ${story}`),
    merge: async (story) => void done.push(`merge ${story}`),
    log: () => undefined,
  };
  const queue = {
    claim: async () => waiting.shift(),
    touch: async () => undefined,
    close: async () => undefined,
    complete: settled("complete"),
    park: settled("park"),
    retry: settled("retry"),
  } as unknown as Jobs;
  const machines = {
    report: async () => ({ isDraining: false }),
    leave: async () => void done.push("left"),
  } as unknown as Machines;
  await joinFleet({
    machine: "ann",
    root: ROOT,
    slots,
    labels: [],
    machines,
    openJobs: async () => queue,
    actions,
    stop: stop.signal,
    pollMs: 1,
  });
  return done;
}

const SETTLED = /^(?:complete|park|retry) /;

it("works on a story, merges it, and leaves when it is told to", async () => {
  const states = { cart: ["ready", "review", "completed"] } as const;
  expect(await rehearse({ jobs: ["cart"], states })).toEqual([
    "work cart",
    "merge cart",
    "complete cart",
    "left",
  ]);
});

it("lets the agent fix what the merge refused", async () => {
  const states = { cart: ["ready", "review", "sent-back", "review", "completed"] } as const;
  expect(await rehearse({ jobs: ["cart"], states })).toEqual([
    "work cart",
    "merge cart",
    "work cart",
    "merge cart",
    "complete cart",
    "left",
  ]);
});

it("parks what needs a person or does not exist, and returns what another one works on", async () => {
  const states = { asks: ["blocked"], busy: ["running"], gone: [] } as const;
  expect(await rehearse({ jobs: ["asks", "busy", "gone"], states, slots: 3 })).toEqual([
    "park asks",
    "retry busy",
    "park gone",
    "left",
  ]);
});

it("gives a story back when something fails", async () => {
  const states = { cart: ["broken"] } as const;
  expect(await rehearse({ jobs: ["cart"], states })).toEqual(["retry cart", "left"]);
});

it("never acts on a row about another repository", async () => {
  const states = { cart: ["ready"] } as const;
  expect(await rehearse({ jobs: ["cart"], states, root: "b".repeat(40) })).toEqual([
    "park cart",
    "left",
  ]);
});

it("repeats a merge that failed once, and then asks a person", async () => {
  const briefly = { cart: ["review", "review", "completed"] } as const;
  expect(await rehearse({ jobs: ["cart"], states: briefly })).toEqual([
    "merge cart",
    "merge cart",
    "complete cart",
    "left",
  ]);
  const lasting = { cart: ["review", "review", "review"] } as const;
  expect(await rehearse({ jobs: ["cart"], states: lasting })).toEqual([
    "merge cart",
    "merge cart",
    "park cart",
    "left",
  ]);
});
