// Finds where a story asks for less than when it began. Its files are in the worktree of its agent, and an agent must
// not weaken the rules that it is judged by. Asking for more is always allowed. Pure.

import type { KeyedFinding } from "./receipt.ts";
import type { Story } from "../definition/story.ts";
import type { Task } from "../definition/task.ts";

/** The parts of a story that its gate depends on. */
export interface GateDefinition {
  readonly story: Pick<Story, "checks" | "needsTesting" | "needsReview" | "writeFiles">;
  readonly tasks: readonly Pick<Task, "id" | "checks" | "writeFiles" | "splitFrom">[];
}

/**
 * `initial` are the versions that people gave: the one that the story was started with or last edited to, and the target's
 * if it is newer. A definition that matches one of them was not weakened.
 */
export function weakenedSince(
  initial: readonly GateDefinition[],
  now: GateDefinition,
): readonly KeyedFinding[] {
  const [first = [], ...others] = initial.map((version) => findingsOn(version, now));
  return first.filter(({ key }) =>
    others.every((findings) => findings.some((one) => one.key === key)),
  );
}

function findingsOn(initial: GateDefinition, now: GateDefinition): KeyedFinding[] {
  return [
    ...missingIn(initial.story.checks, now.story.checks).map((check) =>
      finding(
        `check-removed ${check}`,
        `The check \`${check}\` was removed after the story began.`,
      ),
    ),
    ...(initial.story.needsTesting && !now.story.needsTesting
      ? [finding("tester-removed", "The tester was removed after the story began.")]
      : []),
    ...(initial.story.needsReview && !now.story.needsReview
      ? [finding("reviewer-removed", "The reviewer was removed after the story began.")]
      : []),
    ...widened(initial.story.writeFiles, now.story.writeFiles),
    ...initial.tasks.flatMap((task) => lessOfTask(task, now.tasks)),
  ];
}

const finding = (key: string, message: string): KeyedFinding => ({
  rule: "definition",
  key,
  message,
});

/** Tasks need no such finding: their files only count within the declared ones (`gate/globs.ts`). */
function widened(
  initial: readonly string[] | undefined,
  now: readonly string[] | undefined,
): KeyedFinding[] {
  if (initial === undefined) return [];
  if (now === undefined) {
    const message = "The limit on its files was removed after the story began.";
    return [finding("write-files-removed", message)];
  }
  const isException = (glob: string): boolean => glob.startsWith("!");
  return [
    ...missingIn(now, initial)
      .filter((glob) => !isException(glob))
      .map((glob) =>
        finding(
          `write-files-added ${glob}`,
          `\`${glob}\` was added to its allowed files after the story began.`,
        ),
      ),
    ...missingIn(initial, now)
      .filter(isException)
      .map((glob) =>
        finding(
          `write-exception-removed ${glob}`,
          `The exception \`${glob}\` was removed from its allowed files after the story began.`,
        ),
      ),
  ];
}

/** A split moves a task's checks to the last of its parts. */
function lessOfTask(
  { id, checks }: GateDefinition["tasks"][number],
  now: GateDefinition["tasks"],
): KeyedFinding[] {
  const parts = partsOf(id, now);
  if (parts.length === 0) {
    return [finding(`task-removed ${id}`, `The task ${id} was removed after the story began.`)];
  }
  return missingIn(
    checks,
    parts.flatMap((part) => part.checks),
  ).map((check) =>
    finding(
      `task-check-removed ${id} ${check}`,
      `The check \`${check}\` of the task ${id} was removed after the story began.`,
    ),
  );
}

/** The task, its parts, and their parts. */
function partsOf(id: string, tasks: GateDefinition["tasks"]): GateDefinition["tasks"] {
  const names = new Set([id]);
  // Iterating a set includes elements that are added meanwhile.
  for (const name of names) {
    for (const task of tasks) if (task.splitFrom === name) names.add(task.id);
  }
  return tasks.filter((task) => names.has(task.id));
}

const missingIn = (before: readonly string[], after: readonly string[]): string[] =>
  before.filter((one) => !after.includes(one));
