// Where a story asks for less than when it began. Its files lie where its agent works: what judges the
// agent must not become less by the agent's own hand. Pure. More is always fine.

import type { KeyedFinding } from "./receipt.ts";
import type { Story } from "../definition/story.ts";
import type { Task } from "../definition/task.ts";

/** As much of a story as its gate goes by. */
export interface GateDefinition {
  readonly story: Pick<Story, "checks" | "needsTesting" | "needsReview" | "writeFiles">;
  readonly tasks: readonly Pick<Task, "id" | "checks" | "writeFiles" | "splitFrom">[];
}

/**
 * `began` are the versions that people gave it, before any agent: the target's, and the one that it was
 * started with, which may have been changed and not committed. What one of them has, people wanted.
 */
export function weakenedSince(
  began: readonly GateDefinition[],
  now: GateDefinition,
): readonly KeyedFinding[] {
  const [first = [], ...others] = began.map((version) => findingsOn(version, now));
  return first.filter(({ key }) => others.every((found) => found.some((one) => one.key === key)));
}

function findingsOn(began: GateDefinition, now: GateDefinition): KeyedFinding[] {
  return [
    ...gone(began.story.checks, now.story.checks).map((check) =>
      finding(
        `check-removed ${check}`,
        `The check \`${check}\` was taken away after the story began.`,
      ),
    ),
    ...(began.story.needsTesting && !now.story.needsTesting
      ? [
          finding(
            "tester-removed",
            "It needed a tester when the story began, and does not any more.",
          ),
        ]
      : []),
    ...(began.story.needsReview && !now.story.needsReview
      ? [
          finding(
            "reviewer-removed",
            "It needed a reviewer when the story began, and does not any more.",
          ),
        ]
      : []),
    ...widened(began.story.writeFiles, now.story.writeFiles),
    ...began.tasks.flatMap((task) => lessOfTask(task, now.tasks)),
  ];
}

const finding = (key: string, message: string): KeyedFinding => ({
  rule: "definition",
  key,
  message,
});

/** How far its tasks may go is bound by what was declared (`gate/globs.ts`): theirs need no finding. */
function widened(
  began: readonly string[] | undefined,
  now: readonly string[] | undefined,
): KeyedFinding[] {
  if (began === undefined) return [];
  if (now === undefined) {
    const message = "Which files it may change was taken away after the story began.";
    return [finding("write-files-removed", message)];
  }
  const isException = (glob: string): boolean => glob.startsWith("!");
  return [
    ...gone(now, began)
      .filter((glob) => !isException(glob))
      .map((glob) =>
        finding(
          `write-files-added ${glob}`,
          `\`${glob}\` came to the files that it may change after the story began.`,
        ),
      ),
    ...gone(began, now)
      .filter(isException)
      .map((glob) =>
        finding(
          `write-exception-removed ${glob}`,
          `\`${glob}\` went from the files that it may change after the story began.`,
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
    return [finding(`task-removed ${id}`, `The task ${id} was taken away after the story began.`)];
  }
  return gone(
    checks,
    parts.flatMap((part) => part.checks),
  ).map((check) =>
    finding(
      `task-check-removed ${id} ${check}`,
      `The check \`${check}\` of the task ${id} was taken away after the story began.`,
    ),
  );
}

/** The task itself, and whatever it and its parts were split into. */
function partsOf(id: string, tasks: GateDefinition["tasks"]): GateDefinition["tasks"] {
  const names = new Set([id]);
  // A set takes in what is added while it is gone through.
  for (const name of names) {
    for (const task of tasks) if (task.splitFrom === name) names.add(task.id);
  }
  return tasks.filter((task) => names.has(task.id));
}

const gone = (before: readonly string[], after: readonly string[]): string[] =>
  before.filter((one) => !after.includes(one));
