// What the log says about each step of a worker, beside the step's name.

import type { PullRequest } from "../machine/forge/forge.ts";
import type { Receipt } from "../story/receipts/receipt.ts";
import { count } from "../text/plural.ts";
import { pullRequestName } from "../text/pull-request-name.ts";

export const claimText = (orphanedProcesses: number): string =>
  orphanedProcesses === 0
    ? "locked the story against other runs"
    : `locked the story against other runs; stopped ${count(orphanedProcesses, "leftover process", "leftover processes")} of an earlier one`;

interface WorktreeFacts {
  readonly branch: string;
  readonly base: { readonly branch: string };
  readonly hadWorktree: boolean;
}

export const worktreeText = ({ branch, base, hadWorktree }: WorktreeFacts): string =>
  `${hadWorktree ? "worktree already exists," : "created"} on branch ${branch}, from ${base.branch}`;

export const recoverText = (tasks: readonly string[]): string =>
  tasks.length === 0
    ? "no unfinished work of an earlier run"
    : `recovered completed tasks: ${tasks.join(", ")}`;

export const hydrateText = (tasks: number): string => `loaded ${count(tasks, "task")}`;

export const reconcileText = (correctedFiles: number): string =>
  correctedFiles === 0
    ? "task files agree with the agent's list"
    : `updated the status in ${count(correctedFiles, "task file")}`;

interface GateFacts {
  readonly receipts: readonly Pick<Receipt, "gate">[];
  readonly refusal: string | undefined;
}

export const gateText = ({ receipts, refusal }: GateFacts): string =>
  refusal ??
  `passed: ${[...new Set(receipts.map(({ gate }) => GATE_TEXTS[gate] ?? gate))].join(", ")}`;

const GATE_TEXTS: Readonly<Record<string, string>> = {
  diff: "diff rules",
  check: "checks",
};

interface DeliveryFacts {
  readonly pull?: Pick<PullRequest, "ref" | "state" | "isDraft"> | undefined;
  readonly pushError?: string | undefined;
}

export function deliverText({ pull, pushError }: DeliveryFacts): string {
  if (pushError !== undefined) return "push failed; will retry on the next run";
  if (pull === undefined) return "could not be updated; will retry on the next run";
  if (pull.state !== "open") return `${pullRequestName(pull.ref)} is ${pull.state}`;
  return `${pullRequestName(pull.ref)} is ${pull.isDraft ? "a draft" : "ready for review"}`;
}
