// What the database holds of the lanes that a fleet shares. Rows have ids, numbers, states and commits, and the name of the
// person who holds an entry; never a text of a story, or a command: a check is there as the hash of its command. Others
// can write to the database too, so a row counts only if Saga could have written it. Pure.

import { createHash } from "node:crypto";
import * as z from "zod";
import { idProblem } from "../../story/definition/names.ts";
import {
  entrySchema,
  laneName,
  laneOfName,
  type Entry,
  type Lane,
} from "../../story/landing/entry.ts";
import {
  landedBatchSchema,
  landingNowSchema,
  type LandedBatch,
  type LandingNow,
} from "../../story/landing/history.ts";
import { commitId, landedSchema, type Landed } from "../../story/landing/landed.ts";

export interface EntryRow {
  readonly id: string;
  readonly lane: string;
  readonly kind: string;
  readonly name: string;
  readonly machine: string;
  readonly body: unknown;
  readonly enqueued_at: Date;
  readonly held_by: string | null;
  readonly is_left: boolean;
  readonly outcome: unknown;
}

/** How an entry ended. `settled`: on its own machine, which has the rest. */
const outcomeSchema = z.discriminatedUnion("kind", [
  landedSchema.extend({ kind: z.literal("landed") }),
  z.object({ kind: z.literal("settled") }),
  z.object({ kind: z.literal("stopped") }),
  z.object({ kind: z.literal("dropped"), by: z.string().transform(plainText) }),
]);
export type RowOutcome = z.infer<typeof outcomeSchema>;

export interface StoredEntry {
  readonly entry: Entry & { readonly machine: string };
  /** Undefined while it waits. */
  readonly outcome: RowOutcome | undefined;
}

const checkKey = z.string().regex(/^check-[0-9a-f]{16}$/);
const storyId = z.string().refine((id) => idProblem("story", id) === undefined);
/** Of a story, an epic or a pool task. */
const entryName = z.string().regex(/^[\w./-]{1,200}$/);
const sharedKind = z.enum(["story", "epic"]);

const bodySchema = z.object({
  priority: z.int(),
  after: z.array(storyId),
  checks: z.array(checkKey),
});

const nowRow = landingNowSchema.omit({ output: true }).extend({
  entries: z.array(entryName),
  command: checkKey.optional(),
  tip: commitId.optional(),
  inTip: z.array(entryName).optional(),
});

const batchRow = landedBatchSchema.extend({
  from: commitId,
  to: commitId,
  landed: z.array(entryName),
  ejected: entryName.optional(),
  checks: z.array(landedBatchSchema.shape.checks.element.extend({ command: checkKey })),
  flaky: z.array(checkKey).default([]),
});

export const keyOfCheck = (command: string): string =>
  `check-${createHash("sha256").update(command).digest("hex").slice(0, 16)}`;

/** Undefined for a row that no Saga wrote. */
export function storedEntry(row: EntryRow): StoredEntry | undefined {
  const lane = sharedLane(row.lane);
  const body = bodySchema.safeParse(row.body).data;
  const kind = sharedKind.safeParse(row.kind).data;
  const isNamed = kind !== undefined && idProblem(kind, row.name) === undefined;
  if (lane === undefined || body === undefined || !isNamed) return undefined;
  const entry = entrySchema.safeParse({
    ...body,
    id: row.id,
    kind,
    name: row.name,
    lane,
    machine: row.machine,
    by: "saga merge",
    enqueuedAt: row.enqueued_at.toISOString(),
    ...(row.held_by !== null && { heldBy: plainText(row.held_by) }),
    ...(row.is_left && { isLeft: true }),
  }).data;
  if (entry?.machine === undefined) return undefined;
  const stored = { ...entry, machine: entry.machine };
  if (row.outcome === null) return { entry: stored, outcome: undefined };
  const outcome = outcomeSchema.safeParse(row.outcome).data;
  return outcome && { entry: stored, outcome };
}

export const bodyOf = ({ priority, after, checks }: Omit<Entry, "id" | "enqueuedAt">): unknown => ({
  priority,
  after,
  checks: checks.map(keyOfCheck),
});

/** Undefined for a name that no lane of a fleet has. */
export function sharedLane(name: string): Lane | undefined {
  const lane = laneOfName(name);
  const isShared = lane?.place === "remote" && laneName(lane) === name;
  return isShared && !/[\p{Cc}\s]|^-|\.\./u.test(lane.branch) ? lane : undefined;
}

export const storedNow = (body: unknown): LandingNow | undefined => nowRow.safeParse(body).data;

export function nowBody(now: LandingNow, machine: string): unknown {
  const { output: _, command, ...rest } = now;
  return { ...rest, ...(command !== undefined && { command: keyOfCheck(command) }), machine };
}

export const storedBatch = (body: unknown): LandedBatch | undefined =>
  batchRow.safeParse(body).data;

export const batchBody = (batch: LandedBatch): unknown => ({
  ...batch,
  checks: batch.checks.map((check) => ({ ...check, command: keyOfCheck(check.command) })),
  flaky: batch.flaky.map(keyOfCheck),
});

export const landedOf = (outcome: RowOutcome | undefined): Landed | undefined =>
  outcome?.kind === "landed" ? landedSchema.parse(outcome) : undefined;

/** People read it in a terminal. */
function plainText(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, " ").slice(0, 100);
}
