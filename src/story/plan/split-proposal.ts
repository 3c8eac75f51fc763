// A proposal of the tasks that a task is split into, and its problems.

import * as z from "zod";
import type { FieldPath } from "../../errors.ts";
import type { SizeCeiling } from "../definition/validate.ts";
import { errorAt, explain, type FieldProblem } from "../definition/explain-error.ts";
import { glob, oneLine, prose, repeatsIn, taskId, text } from "../definition/fields.ts";
import { count } from "../../text/plural.ts";
import { findCycles, missingReferences } from "../definition/graph.ts";

export const MIN_PARTS = 2;
export const MAX_PARTS = 8;

/** A new task. It declares what it changes, because its size is checked by that. */
export const partSchema = z.strictObject({
  id: taskId.describe(
    "Short and descriptive, like add-login-form. Not the id of an existing task.",
  ),
  subject: oneLine.describe("Short imperative title."),
  description: prose.describe("Everything needed to do it, without reading anything else."),
  activeForm: oneLine.optional().describe("What is shown while it runs: Writing tests."),
  guidance: text.describe("How to approach it."),
  doneWhen: text.describe("What must hold when it is done."),
  checks: z.array(prose).optional().describe("Commands that must succeed before it counts."),
  writeFiles: z.array(glob).describe("The files that it will change, from the top folder."),
  estimatedLines: z.int().min(1).describe("How many lines it will change."),
  blockedBy: z.array(taskId).optional().describe("The new tasks that come before it."),
});

/** An agent's proposal. Sizes are required, because they are the reason for a split. */
export const proposalSchema = z.strictObject({ tasks: z.array(partSchema) });

const ownPartSchema = partSchema.partial({ writeFiles: true, estimatedLines: true });
export type Part = z.output<typeof ownPartSchema>;

/** A person's proposal. Like `saga new task`, it may leave out sizes. */
export const ownProposalSchema = z.strictObject({ tasks: z.array(ownPartSchema) });
export type Proposal = readonly Part[];

export type ParsedProposal =
  | { readonly proposal: Proposal; readonly problems?: never }
  | { readonly problems: readonly FieldProblem[]; readonly proposal?: never };

/** Takes parsed JSON: an object with `tasks`, or the list of tasks itself. */
export function parseProposal(
  json: unknown,
  schema: typeof proposalSchema | typeof ownProposalSchema = proposalSchema,
): ParsedProposal {
  const object = Array.isArray(json) ? { tasks: json } : json;
  const tasks = fieldOf(object, "tasks");
  const wrong = (message: string, fix: string): ParsedProposal => ({
    problems: [errorAt(["tasks"], message, fix)],
  });
  if (!Array.isArray(tasks)) {
    const fix = `List ${MIN_PARTS} to ${MAX_PARTS} tasks under "tasks".`;
    return wrong("The list of new tasks is missing.", fix);
  }
  if (tasks.length < MIN_PARTS || tasks.length > MAX_PARTS) {
    return wrong(
      `${count(tasks.length, "task")} proposed; ${MIN_PARTS} to ${MAX_PARTS} are allowed.`,
      tasks.length < MIN_PARTS ? "Split it further." : "Combine some of them.",
    );
  }
  const parsed = schema.safeParse(object);
  if (parsed.success) return { proposal: parsed.data.tasks };
  return { problems: explain(parsed.error, object) };
}

/** `taken` are the ids of all tasks of the story, including the task that is split. */
export function judgeProposal(
  proposal: Proposal,
  usedIds: ReadonlySet<string>,
  ceiling: SizeCeiling,
): FieldProblem[] {
  return [
    ...takenIds(usedIds, proposal),
    ...outsideReferences(usedIds, proposal),
    ...tooLarge(proposal, ceiling),
  ];
}

/** For the agent or person who proposed it. */
export const problemSentences = (problems: readonly FieldProblem[]): string[] =>
  problems.map(({ message, fix }) => `${message} ${fix}`);

function takenIds(usedIds: ReadonlySet<string>, proposal: Proposal): FieldProblem[] {
  const ids = proposal.map((part) => part.id);
  const twice = repeatsIn(ids).map((at) =>
    errorAt(["tasks", at, "id"], `${ids[at]} is proposed twice.`, "Give each task its own id."),
  );
  const old = ids.flatMap((one, at) =>
    usedIds.has(one)
      ? [errorAt(["tasks", at, "id"], `The task ${one} already exists.`, "Choose another id.")]
      : [],
  );
  return [...twice, ...old];
}

function outsideReferences(usedIds: ReadonlySet<string>, proposal: Proposal): FieldProblem[] {
  const links = proposal.map(linkOf);
  const place = (one: string): FieldPath => [
    "tasks",
    links.findIndex((link) => link.id === one),
    "blockedBy",
  ];
  const outside = missingReferences(links).map(({ id: from, missing }) =>
    errorAt(
      place(from),
      `${from} waits for ${missing}, which is not one of the new tasks.`,
      usedIds.has(missing)
        ? "Remove it: the new tasks wait for the blockers of the split task anyway."
        : "Name one of the new tasks, or remove it.",
    ),
  );
  const cycles = findCycles(links).map((cycle) =>
    errorAt(
      place(cycle[0] ?? ""),
      `These tasks wait for each other: ${[...cycle, cycle[0]].join(" → ")}.`,
      "Remove one of these blockedBy entries.",
    ),
  );
  return [...outside, ...cycles];
}

function tooLarge(proposal: Proposal, { maxFiles, maxLines }: SizeCeiling): FieldProblem[] {
  return proposal.flatMap((part, at) => {
    const files = part.writeFiles?.length;
    const lines = part.estimatedLines ?? 0;
    const check = (field: string, isWrong: boolean, message: string, fix: string): FieldProblem[] =>
      isWrong ? [errorAt(["tasks", at, field], message, fix)] : [];
    return [
      ...check("writeFiles", files === 0, `${part.id} declares no files to write.`, NAME_FILES),
      ...check(
        "writeFiles",
        (files ?? 0) > maxFiles,
        `${part.id} changes ${files} files; at most ${maxFiles} are allowed.`,
        SMALLER,
      ),
      ...check(
        "estimatedLines",
        lines > maxLines,
        `${part.id} changes ${lines} lines; at most ${maxLines} are allowed.`,
        SMALLER,
      ),
    ];
  });
}

const NAME_FILES = "Declare them in writeFiles.";
const SMALLER = "Make it smaller, and move the rest into another task.";

export const linkOf = ({ id, blockedBy = [] }: Part) => ({ id, blockedBy, isDone: false });

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
