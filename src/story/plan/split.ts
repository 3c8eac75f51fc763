// A task that turned out too large, or that its agent could not get through, becomes several smaller
// ones. What is proposed is judged and fitted into the same place of the graph; nothing is written here.
//
//   nothing of it is finished   the first part takes the task's id and file over, the others are added:
//                               no file is deleted, and its history goes on
//   a part of it is committed   the task is that part, and completed; all that is proposed is added
//
// Either way the new tasks wait for what the task waited for, whoever waited for it waits for the last
// of them, and its checks run when the last of them is done.

import type { SizeCeiling } from "../definition/validate.ts";
import { errorAt, type FieldProblem } from "../definition/explain-error.ts";
import { inOrder } from "../definition/graph.ts";
import type { FileFields } from "./merge-fields.ts";
import { judgeProposal, linkOf, partSchema, type Part, type Proposal } from "./split-proposal.ts";

export interface SplitRules {
  /** A part of the task is committed: the proposal is about the rest. */
  readonly finished: boolean;
  readonly ceiling: SizeCeiling;
}

/** A file as it is to be. */
export interface SplitFile {
  readonly id: string;
  readonly action: "create" | "update";
  readonly fields: FileFields;
}

export type SplitResult =
  | { readonly kind: "refused"; readonly findings: readonly FieldProblem[] }
  | {
      readonly kind: "split";
      /** The tasks that the rest of it is now, first ones first. */
      readonly into: readonly string[];
      /** Nothing when just this was written before. */
      readonly files: readonly SplitFile[];
    };

/** `tasks` are those of the story by id, as the files have them: what is unknown in one stays. */
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
  const before = writtenBefore(tasks, id, proposal);
  if (before) return { kind: "split", into: before, files: [] };
  if (original["status"] === "completed") {
    const fix = "Only what is left to do can be split.";
    return refused([errorAt([], `The task ${id} is completed.`, fix)]);
  }
  const findings = judgeProposal(proposal, new Set(tasks.keys()), ceiling);
  if (findings.length > 0) return refused(findings);
  return fitIn(tasks, { id, fields: original }, proposal, finished);
}

const refused = (findings: readonly FieldProblem[]): SplitResult => ({ kind: "refused", findings });

/** The same proposal, in place already: whoever wrote it did not live to say so. */
function writtenBefore(
  tasks: ReadonlyMap<string, FileFields>,
  id: string,
  proposal: Proposal,
): readonly string[] | undefined {
  const first = proposal.find(isSource);
  const into = proposal.map((part) => (part === first && !tasks.has(part.id) ? id : part.id));
  const isThere = proposal.every((part, at) => {
    const found = tasks.get(into[at] ?? "");
    const isPart = found?.["splitFrom"] === id || into[at] === id;
    return isPart && found?.["subject"] === part.subject;
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
  // There is one: they do not all wait for each other.
  const first = proposal.find(isSource)?.id;
  const parts = checks.length === 0 ? ordered : withOneEnd(ordered, first);
  const renamed = (id: string): string => (id === first && !finished ? original.id : id);
  const into = parts.map((part) => renamed(part.id));
  const last = sinksOf(parts).map((part) => renamed(part.id));
  const waitsFor = listOf(original.fields["blockedBy"]);

  // The parts stand where the whole stood.
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
    const instead = finished ? [original.id, ...last] : last;
    const moved = blockedBy.flatMap((one) => (one === original.id ? instead : [one]));
    return [{ id, action: "update", fields: { ...fields, blockedBy: [...new Set(moved)] } }];
  });
  return { kind: "split", into, files: [...before, ...files, ...waiting] };
}

type OrderedPart = Part & { readonly blockedBy: readonly string[]; readonly isDone: boolean };

/** What must hold in the end cannot hold before all of it is done: then one of them comes last. */
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
  const said = `The rest of it was split off into ${into.join(", ")}.`;
  return {
    id,
    action: "update",
    fields: {
      ...without(fields, ["checks"]),
      description: `${String(fields["description"])}\n\n${said}`,
      status: "completed",
    },
  };
}

/** What a part says of itself: in a file that it takes over, nothing of the kind is left. */
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

/** The files are valid: what is there is a list of texts, and what is not is none. */
const listOf = (value: unknown): readonly string[] => (value as string[] | undefined) ?? [];
