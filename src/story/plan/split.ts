// Splits a task that is too large, or that its agent could not complete, into several smaller ones. Pure: checks a
// proposal and fits it into the graph at the task's place.
//
//   nothing is committed   the first part gets the task's id and file, the others are added: no file is deleted, and
//                          the file's history continues
//   a part is committed    the task becomes that part and is completed; all proposed tasks are added
//
// In both cases the new tasks wait for the task's blockers, tasks that waited for it wait for the last new tasks, and
// its checks run when the last of them is done.

import type { SizeCeiling } from "../definition/validate.ts";
import { errorAt, type FieldProblem } from "../definition/explain-error.ts";
import { inOrder } from "../definition/graph.ts";
import type { FileFields } from "./fields-after-plan.ts";
import { judgeProposal, linkOf, partSchema, type Part, type Proposal } from "./split-proposal.ts";

export interface SplitRules {
  /** A part of the task is committed: the proposal is about the rest. */
  readonly finished: boolean;
  readonly ceiling: SizeCeiling;
}

/** A file to write. */
export interface SplitFile {
  readonly id: string;
  readonly action: "create" | "update";
  readonly fields: FileFields;
}

export type SplitResult =
  | { readonly kind: "refused"; readonly problems: readonly FieldProblem[] }
  | {
      readonly kind: "split";
      /** The ids of the new tasks, in order. */
      readonly into: readonly string[];
      /** Empty when the same split is on disk already. */
      readonly files: readonly SplitFile[];
    };

/** `tasks` are the story's tasks by id, as in their files: unknown fields are kept. */
export function splitTask(
  tasks: ReadonlyMap<string, FileFields>,
  id: string,
  proposal: Proposal,
  { finished, ceiling }: SplitRules,
): SplitResult {
  const original = tasks.get(id);
  if (!original) {
    const fix = "Name one of the story's tasks.";
    return refused([errorAt([], `There is no task ${id} in this story.`, fix)]);
  }
  const existing = existingSplit(tasks, id, proposal);
  if (existing) return { kind: "split", into: existing, files: [] };
  if (original["status"] === "completed") {
    const fix = "Only a task that is not completed can be split.";
    return refused([errorAt([], `The task ${id} is completed.`, fix)]);
  }
  const problems = judgeProposal(proposal, new Set(tasks.keys()), ceiling);
  if (problems.length > 0) return refused(problems);
  return fitIn(tasks, { id, fields: original }, proposal, finished);
}

const refused = (problems: readonly FieldProblem[]): SplitResult => ({ kind: "refused", problems });

/** The ids of the same split, if a process wrote it and died before it could report. */
function existingSplit(
  tasks: ReadonlyMap<string, FileFields>,
  id: string,
  proposal: Proposal,
): readonly string[] | undefined {
  const first = proposal.find(isSource);
  const into = proposal.map((part) => (part === first && !tasks.has(part.id) ? id : part.id));
  const isThere = proposal.every((part, at) => {
    const task = tasks.get(into[at] ?? "");
    const isPart = task?.["splitFrom"] === id || into[at] === id;
    return isPart && task?.["subject"] === part.subject;
  });
  return isThere ? into : undefined;
}

interface OriginalTask {
  readonly id: string;
  readonly fields: FileFields;
}

function fitIn(
  tasks: ReadonlyMap<string, FileFields>,
  original: OriginalTask,
  proposal: Proposal,
  finished: boolean,
): SplitResult {
  const checks = listOf(original.fields["checks"]);
  const ordered = inOrder(proposal.map((part) => ({ ...part, ...linkOf(part) })));
  // Exists: the proposal has no cycle.
  const first = proposal.find(isSource)?.id;
  const parts = checks.length === 0 ? ordered : withOneEnd(ordered, first);
  const renamed = (id: string): string => (id === first && !finished ? original.id : id);
  const into = parts.map((part) => renamed(part.id));
  const last = sinksOf(parts).map((part) => renamed(part.id));
  const waitsFor = listOf(original.fields["blockedBy"]);

  // The parts keep the place of the task.
  const { order } = original.fields;
  const place = order === undefined ? {} : { order };

  const files = parts.map((part): SplitFile => {
    const id = renamed(part.id);
    const fields = partFields(part, {
      blockedBy: [...(isSource(part) ? waitsFor : []), ...part.blockedBy.map(renamed)],
      checks: [...new Set([...(part.checks ?? []), ...(last.includes(id) ? checks : [])])],
    });
    return id === original.id
      ? {
          id,
          action: "update",
          fields: { ...fields, id, ...without(original.fields, PART_FIELDS) },
        }
      : { id, action: "create", fields: { ...fields, ...place, splitFrom: original.id } };
  });
  const before = finished ? [finishedPart(original, into)] : [];
  const waiting = [...tasks].flatMap(([id, fields]): SplitFile[] => {
    const blockedBy = listOf(fields["blockedBy"]);
    if (id === original.id || !blockedBy.includes(original.id)) return [];
    const blockers = finished ? [original.id, ...last] : last;
    const replaced = blockedBy.flatMap((one) => (one === original.id ? blockers : [one]));
    return [{ id, action: "update", fields: { ...fields, blockedBy: [...new Set(replaced)] } }];
  });
  return { kind: "split", into, files: [...before, ...files, ...waiting] };
}

type OrderedPart = Part & { readonly blockedBy: readonly string[]; readonly isDone: boolean };

/** The task's checks can only pass when all parts are done, so exactly one part must come last. */
function withOneEnd(
  parts: readonly OrderedPart[],
  first: string | undefined,
): readonly OrderedPart[] {
  const ends = sinksOf(parts);
  const last = ends.findLast(({ id }) => id !== first);
  if (ends.length < 2 || last === undefined) return parts;
  const others = ends.filter((part) => part !== last).map(({ id }) => id);
  const end = { ...last, blockedBy: [...last.blockedBy, ...others] };
  return [...parts.filter((part) => part !== last), end];
}

function finishedPart({ id, fields }: OriginalTask, into: readonly string[]): SplitFile {
  const note = `The rest was split off into ${into.join(", ")}.`;
  return {
    id,
    action: "update",
    fields: {
      ...without(fields, ["checks"]),
      description: `${String(fields["description"])}\n\n${note}`,
      status: "completed",
    },
  };
}

/** The fields that a part defines. In the file that the first part gets, they replace those of the task. */
const PART_FIELDS = [...Object.keys(partSchema.shape), "status"];

function partFields(
  part: Part,
  {
    blockedBy,
    checks,
  }: { readonly blockedBy: readonly string[]; readonly checks: readonly string[] },
): FileFields {
  const { id, subject, description, activeForm, guidance, doneWhen } = part;
  const { writeFiles, estimatedLines } = part;
  return {
    id,
    subject,
    description,
    ...(activeForm !== undefined && { activeForm }),
    ...(guidance !== undefined && { guidance }),
    ...(doneWhen !== undefined && { doneWhen }),
    ...(checks.length > 0 && { checks }),
    ...(writeFiles !== undefined && { writeFiles }),
    ...(estimatedLines !== undefined && { estimatedLines }),
    status: "pending",
    blockedBy,
  };
}

const isSource = (part: Pick<Part, "blockedBy">): boolean => (part.blockedBy ?? []).length === 0;

function sinksOf<T extends { readonly id: string; readonly blockedBy: readonly string[] }>(
  parts: readonly T[],
): T[] {
  const waitedFor = new Set(parts.flatMap((part) => part.blockedBy));
  return parts.filter((part) => !waitedFor.has(part.id));
}

const without = (fields: FileFields, names: readonly string[]): FileFields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));

/** The files are valid: the value is a list of texts, or missing. */
const listOf = (value: unknown): readonly string[] => (value as string[] | undefined) ?? [];
