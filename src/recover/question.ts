// The summary of an unfinished story, as a question with two answers. Pure.

import { count } from "../text/plural.ts";
import type { RunOutcome } from "../story/state/state.ts";
import type { InFlight } from "./in-flight.ts";

type Facts = Pick<InFlight, "storyId" | "state" | "worktree" | "branch" | "lastRun">;

export function questionOf(facts: Facts): string {
  return `${whatHappened(facts)} ${whereWorkIs(facts)} ${ANSWERS[facts.state] ?? "Resume or discard?"}`;
}

function whatHappened({ storyId, state, worktree, lastRun }: Facts): string {
  // The run was done, and the worktree was removed afterwards.
  if (!worktree.isThere && isDone(lastRun?.outcome)) return `Story ${storyId} is not merged.`;
  switch (state) {
    case "failed":
      return `Story ${storyId} was in flight when its last run failed.`;
    case "blocked":
      return `Story ${storyId} was in flight when it asked a question.`;
    case "stopped":
      return `Story ${storyId} was in flight when it was stopped.`;
    case "limit":
      return `Story ${storyId} was in flight when its run reached a limit.`;
    default:
      return `Story ${storyId} was in flight when the last session ended.`;
  }
}

const isDone = (outcome: RunOutcome | undefined): boolean =>
  outcome === "done" || outcome === "push-failed";

const ANSWERS: Partial<Record<InFlight["state"], string>> = { blocked: "Answer or discard?" };

function whereWorkIs({ worktree, branch }: Facts): string {
  const { path, isThere, changedFiles } = worktree;
  if (isThere) {
    const how =
      changedFiles === undefined
        ? "cannot be read by git"
        : changedFiles > 0
          ? `has uncommitted changes (${count(changedFiles, "file")})`
          : "is clean";
    return `Worktree at ${path} ${how}.`;
  }
  const { name, commits } = branch;
  const left =
    branch.commit === undefined
      ? `and so is the branch ${name}`
      : commits === undefined
        ? `the branch ${name} exists`
        : `the branch ${name} has ${count(commits, "unmerged commit")}`;
  return `Worktree at ${path} is gone${branch.commit === undefined ? "," : ";"} ${left}.`;
}
