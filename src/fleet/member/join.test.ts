import { expect, it } from "vitest";
import type { ParkReason } from "../../story/state/fleet-work.ts";
import type { StoryState } from "../../story/state/state.ts";
import type { ClaimedJob, Jobs } from "../engine/jobs.ts";
import type { Machines } from "../engine/machines.ts";
import type { BudgetAnswer } from "./within-budget.ts";
import { joinFleet, type MemberActions } from "./join.ts";

const ROOT = "a".repeat(40);

interface Rehearsal {
  readonly jobs: readonly string[];
  /** The states of a story, as they are read one after the other. */
  readonly states: Readonly<Record<string, readonly (StoryState | "broken")[]>>;
  readonly slots?: number;
  readonly root?: string;
  readonly budgets?: readonly BudgetAnswer[];
}

/** A queue and a project that are scripted: what the member does with them, in order. */
async function rehearse({
  jobs,
  states,
  slots = 1,
  root = ROOT,
  budgets = [],
}: Rehearsal): Promise<string[]> {
  const done: string[] = [];
  const waiting = jobs.map((story, at): ClaimedJob => {
    const work = { root, story, commit: ROOT, merge: true };
    return { id: String(at), retryCount: 0, work };
  });
  const answers = [...budgets];
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
    askBudget: async () => answers.shift() ?? { kind: "start", leftUsd: undefined },
    work: async (story, leftUsd) =>
      void done.push(["work", story, leftUsd].filter((one) => one !== undefined).join(" ")),
    merge: async (story) => void done.push(`merge ${story}`),
    log: () => undefined,
  };
  const queue = {
    claim: async () => waiting.shift(),
    touch: async () => undefined,
    close: async () => undefined,
    complete: settled("complete"),
    park: async (claim: ClaimedJob, why: ParkReason) => settled(`park for ${why}`)(claim),
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

const SETTLED = /^(?:complete|park for \w+|retry) /;

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
    "park for person asks",
    "retry busy",
    "park for person gone",
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
    "park for person cart",
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
    "park for person cart",
    "left",
  ]);
});

it("starts a story with what is left of its epic's budget, and none when it is spent", async () => {
  const start = { kind: "start", leftUsd: 3 } as const;
  const spent = { kind: "spent", budgetUsd: 5 } as const;
  const states = { cart: ["ready", "limit"], price: ["ready"] } as const;
  const first = await rehearse({ jobs: ["cart"], states, budgets: [start, spent] });
  expect(first).toEqual(["work cart 3", "park for budget cart", "left"]);
  const second = await rehearse({ jobs: ["price"], states, budgets: [spent] });
  expect(second).toEqual(["park for budget price", "left"]);
});

it("parks a story at a limit of its own for a person, also with a budget", async () => {
  const states = { cart: ["ready", "limit"] } as const;
  expect(await rehearse({ jobs: ["cart"], states })).toEqual([
    "work cart",
    "park for person cart",
    "left",
  ]);
});

it("gives a story back while the rest of the budget is for those that run, and merges all the same", async () => {
  const later = { kind: "later" } as const;
  const states = { cart: ["ready"], price: ["review", "completed"] } as const;
  expect(await rehearse({ jobs: ["cart"], states, budgets: [later] })).toEqual([
    "retry cart",
    "left",
  ]);
  const spent = { kind: "spent", budgetUsd: 5 } as const;
  expect(await rehearse({ jobs: ["price"], states, budgets: [spent] })).toEqual([
    "merge price",
    "complete price",
    "left",
  ]);
});
