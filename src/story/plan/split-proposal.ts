// A proposal for a split: the new tasks that the rest of a task shall become, and what is wrong with it.

import * as z from "zod";
import type { FieldPath } from "../../errors.ts";
import type { SizeCeiling } from "../definition/validate.ts";
import { errorAt, explain, type FieldProblem } from "../definition/explain-error.ts";
import { glob, oneLine, prose, repeatsIn, taskId, text } from "../definition/fields.ts";
import { findCycles, missingReferences } from "../definition/graph.ts";

export const MIN_PARTS = 2;
export const MAX_PARTS = 8;

/** One of the new tasks. What it changes is declared: that is what it is judged by. */
export const partSchema = z.strictObject({
  id: taskId.describe("Short and speaking, like add-login-form. No id that exists already."),
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

/** As an agent hands it over: it says what each will change, for that is why there is a split. */
export const proposalSchema = z.strictObject({ tasks: z.array(partSchema) });

const ownPartSchema = partSchema.partial({ writeFiles: true, estimatedLines: true });
export type Part = z.output<typeof ownPartSchema>;

/** As a person hands it over: what `saga new task` does not demand is not demanded here. */
export const ownProposalSchema = z.strictObject({ tasks: z.array(ownPartSchema) });
export type Proposal = readonly Part[];

export type ParsedProposal =
  | { readonly proposal: Proposal; readonly findings?: never }
  | { readonly findings: readonly FieldProblem[]; readonly proposal?: never };

/** Takes parsed JSON; a bare list is taken for the tasks. */
export function parseProposal(
  json: unknown,
  schema: typeof proposalSchema | typeof ownProposalSchema = proposalSchema,
): ParsedProposal {
  const given = Array.isArray(json) ? { tasks: json } : json;
  const tasks = fieldOf(given, "tasks");
  const wrong = (message: string, fix: string): ParsedProposal => ({
    findings: [errorAt(["tasks"], message, fix)],
  });
  if (!Array.isArray(tasks)) {
    const fix = `List ${MIN_PARTS} to ${MAX_PARTS} tasks under "tasks".`;
    return wrong("There is no list of new tasks.", fix);
  }
  if (tasks.length < MIN_PARTS || tasks.length > MAX_PARTS) {
    return wrong(
      `${tasks.length} tasks are proposed, and it must be ${MIN_PARTS} to ${MAX_PARTS}.`,
      tasks.length < MIN_PARTS ? "Split it further." : "Put some of them together.",
    );
  }
  const parsed = schema.safeParse(given);
  if (parsed.success) return { proposal: parsed.data.tasks };
  return { findings: explain(parsed.error, given) };
}

/** `taken` are the ids of all tasks of the story, the one that is split among them. */
export function judgeProposal(
  proposal: Proposal,
  taken: ReadonlySet<string>,
  ceiling: SizeCeiling,
): FieldProblem[] {
  return [
    ...takenIds(taken, proposal),
    ...outsideReferences(taken, proposal),
    ...tooLarge(proposal, ceiling),
  ];
}

/** As sentences for whoever proposed it. */
export const problemSentences = (findings: readonly FieldProblem[]): string[] =>
  findings.map(({ message, fix }) => `${message} ${fix}`);

function takenIds(taken: ReadonlySet<string>, proposal: Proposal): FieldProblem[] {
  const ids = proposal.map((part) => part.id);
  const twice = repeatsIn(ids).map((at) =>
    errorAt(["tasks", at, "id"], `${ids[at]} is proposed twice.`, "Give each task its own id."),
  );
  const old = ids.flatMap((one, at) =>
    taken.has(one)
      ? [errorAt(["tasks", at, "id"], `There is a task ${one} already.`, "Choose another id.")]
      : [],
  );
  return [...twice, ...old];
}

function outsideReferences(taken: ReadonlySet<string>, proposal: Proposal): FieldProblem[] {
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
      taken.has(missing)
        ? "Leave it out: what the split task waited for is waited for anyway."
        : "Name one of the new tasks, or leave it out.",
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
    const judge = (field: string, isWrong: boolean, message: string, fix: string): FieldProblem[] =>
      isWrong ? [errorAt(["tasks", at, field], message, fix)] : [];
    return [
      ...judge("writeFiles", files === 0, `${part.id} names no file that it changes.`, NAME_FILES),
      ...judge(
        "writeFiles",
        (files ?? 0) > maxFiles,
        `${part.id} changes ${files} files; at most ${maxFiles} are allowed.`,
        SMALLER,
      ),
      ...judge(
        "estimatedLines",
        lines > maxLines,
        `${part.id} changes ${lines} lines; at most ${maxLines} are allowed.`,
        SMALLER,
      ),
    ];
  });
}

const NAME_FILES = "Declare them in writeFiles.";
const SMALLER = "Make it smaller, and put the rest into another task.";

export const linkOf = ({ id, blockedBy = [] }: Part) => ({ id, blockedBy, isDone: false });

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
