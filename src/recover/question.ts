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
      return `Story ${storyId} is unfinished: its last run failed.`;
    case "blocked":
      return `Story ${storyId} is unfinished: its agent asks a question.`;
    case "stopped":
      return `Story ${storyId} is unfinished: it was stopped.`;
    case "limit":
      return `Story ${storyId} is unfinished: its run reached a limit.`;
    default:
      return `Story ${storyId} is unfinished: its last run ended early.`;
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
    return `The worktree ${path} ${how}.`;
  }
  const { name, commits } = branch;
  const left =
    branch.commit === undefined
      ? `and so is its branch ${name}`
      : commits === undefined
        ? `its branch ${name} exists`
        : `its branch ${name} has ${count(commits, "unmerged commit")}`;
  return `The worktree ${path} is missing${branch.commit === undefined ? "," : ";"} ${left}.`;
}
