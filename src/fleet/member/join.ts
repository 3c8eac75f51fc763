// A member at work: claims stories while it has free slots, works on each in processes of its own, and settles its claims.
// It ends when a person stops it or drains the machine, after the stories that it works on.

import { setTimeout as wait } from "node:timers/promises";
import { messageOf } from "../../errors.ts";
import type { FleetJob } from "../backlog/job.ts";
import type { ClaimedJob, Jobs } from "../engine/jobs.ts";
import type { Machines } from "../engine/machines.ts";
import type { ParkReason } from "../../story/state/fleet-work.ts";
import type { StoryState } from "../../story/state/state.ts";
import { usd } from "../../text/usd.ts";
import { decideStep } from "./decide-step.ts";
import type { BudgetAnswer } from "./within-budget.ts";

export interface FleetMembership {
  readonly machine: string;
  readonly root: string;
  readonly slots: number;
  readonly labels: readonly string[];
  readonly machines: Machines;
  readonly openJobs: () => Promise<Jobs>;
  readonly actions: MemberActions;
  readonly stop: AbortSignal;
  readonly pollMs?: number;
}

/** Stories are worked on and merged in processes of their own. */
export interface MemberActions {
  /** Brings the project up to date with the remote, and reads the story there. Undefined if it does not exist. */
  readonly readState: (storyId: string) => Promise<StoryState | undefined>;
  readonly askBudget: (storyId: string) => Promise<BudgetAnswer>;
  /** `leftUsd`: what is left of the budget of its epic's run. */
  readonly work: (storyId: string, leftUsd: number | undefined) => Promise<void>;
  readonly merge: (storyId: string) => Promise<void>;
  readonly log: (sentence: string) => void;
}

/** Four signs of life within the time after which silence gives a story to others. */
const REPORT_MS = 7_000;
const POLL_MS = 2_000;
/** More than any story needs: each round is a worker or a merge. */
const MAX_ROUNDS = 12;
/** A merge also fails when the remote or the database is away for a moment. */
const MAX_MERGES = 2;

export async function joinFleet(membership: FleetMembership): Promise<void> {
  const { machine, machines, actions, pollMs = POLL_MS } = membership;
  const drain = new AbortController();
  const stop = AbortSignal.any([membership.stop, drain.signal]);
  let jobs = await membership.openJobs();
  const active = new Map<ClaimedJob, Promise<void>>();
  const report = everySoOften(REPORT_MS, async () => {
    if ((await machines.report(machine)).isDraining) drain.abort();
    await jobs.touch([...active.keys()]);
  });
  try {
    while (!stop.aborted) {
      const claim = active.size < membership.slots ? await claimNext() : undefined;
      if (claim) {
        const working = workOn(claim).finally(() => active.delete(claim));
        active.set(claim, working);
      } else await wait(pollMs, undefined, { signal: stop }).catch(() => undefined);
    }
    if (active.size > 0) actions.log("Draining: no new stories are taken.");
    await Promise.all(active.values());
  } finally {
    report.end();
    await machines.leave(machine).catch(() => undefined);
    await jobs.close().catch(() => undefined);
  }

  async function claimNext(): Promise<ClaimedJob | undefined> {
    try {
      return await jobs.claim(membership.labels);
    } catch (error) {
      actions.log(`The fleet's queue cannot be read; trying again: ${messageOf(error)}`);
      await reopen();
      return undefined;
    }
  }

  /** A pool of connections can be dead while the server lives. */
  async function reopen(): Promise<void> {
    const fresh = await membership.openJobs().catch(() => undefined);
    if (fresh === undefined) return;
    const old = jobs;
    jobs = fresh;
    await old.close().catch(() => undefined);
  }

  async function workOn(claim: ClaimedJob): Promise<void> {
    const { work } = claim;
    try {
      // A row that is not about this repository is never acted on.
      const end = work?.root === membership.root ? await bringForward(work) : "person";
      if (end === "complete" || end === "retry") await jobs[end](claim);
      else await jobs.park(claim, end);
    } catch (error) {
      actions.log(`${work?.story ?? "A job"}: ${messageOf(error)}`);
      // If the database cannot be reached, its silence says the same.
      await jobs.retry(claim).catch(() => undefined);
    }
  }

  /** Returns how the claim ends; if a person is needed, why. */
  async function bringForward({
    story,
    merge: mayMerge,
  }: FleetJob): Promise<"complete" | "retry" | ParkReason> {
    let last: "work" | "merge" | undefined;
    let merges = 0;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const state = await actions.readState(story);
      if (state === "review" && merges < MAX_MERGES) last = undefined;
      const step = state === undefined ? "park" : decideStep({ state, mayMerge, last });
      if (step === "complete" || step === "retry") return step;
      // A story that its epic's budget ended is at a limit, like others.
      const isAboutBudget = step === "work" || state === "limit";
      const budget = isAboutBudget ? await actions.askBudget(story) : undefined;
      if (budget?.kind === "spent") {
        actions.log(`${story} is not run: its epic's budget is spent (${usd(budget.budgetUsd)})`);
        return "budget";
      }
      if (step === "park") {
        actions.log(`${story} needs a person (${state ?? "not found"})`);
        return "person";
      }
      if (stop.aborted || budget?.kind === "later") return "retry";
      actions.log(step === "work" ? `${story} started` : `${story} passed its gate; merging`);
      if (step === "work") await actions.work(story, budget?.leftUsd);
      else await actions.merge(story);
      last = step;
      if (step === "merge") merges++;
    }
    return "person";
  }
}

/** One at a time. A failure says nothing: the next beat may succeed, and silence is safe. */
function everySoOften(ms: number, act: () => Promise<void>): { readonly end: () => void } {
  let isActing = false;
  const timer = setInterval(() => {
    if (isActing) return;
    isActing = true;
    act()
      .catch(() => undefined)
      .finally(() => (isActing = false));
  }, ms);
  return { end: () => clearInterval(timer) };
}
