// An entry of a lane: one piece of finished work that waits to land on a target branch.

import * as z from "zod";

/** A branch to land on, here or at the remote. Each has a lane of its own. */
export const laneSchema = z.object({
  branch: z.string().min(1),
  place: z.enum(["here", "remote"]),
});
export type Lane = z.infer<typeof laneSchema>;

/** As `fleet/engine/machine-name.ts` allows it. */
export const laneMachine = z
  .string()
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/)
  .max(60);

export const entrySchema = z.object({
  /** Sorts by arrival. */
  id: z.string().regex(/^\d{13}-[0-9a-f]{8}$/, "is not the id of an entry"),
  kind: z.enum(["story", "epic", "task"]),
  /** The story, the epic, or the pool's worker with its task. */
  name: z.string().min(1),
  lane: laneSchema,
  /** Lower lands first. */
  priority: z.int(),
  enqueuedAt: z.iso.datetime(),
  /** The process that waits for the outcome, for people. */
  by: z.string(),
  /** Names that must land first, if they are in the lane. */
  after: z.array(z.string()).default([]),
  /** Its checks when it was put in the lane, to estimate how long it takes. */
  checks: z.array(z.string()).default([]),
  /** Whether a clean checkout of the target may be updated; by default the setting decides. */
  updateCheckouts: z.boolean().optional(),
  /** Set by a person: it does not land until it is released. */
  heldBy: z.string().optional(),
  /** In a lane that the machines of a fleet share: which of them has the work. */
  machine: laneMachine.optional(),
  /** Another machine could not land it: its own does, or says why not. */
  isLeft: z.boolean().optional(),
  /** What a pool task needs to land without its worker. */
  work: z.record(z.string(), z.unknown()).optional(),
});
export type Entry = z.infer<typeof entrySchema>;

/** What the process that waits for it says. The queue adds the rest. */
export type EntryRequest = Omit<Entry, "id" | "enqueuedAt" | "machine" | "heldBy">;

/** The folder in a lane's folder with the output of the check that runs now. A check that prints changes no entry. */
export const LANE_OUTPUT = "output";

/** Also the name of a folder. */
export const laneName = ({ branch, place }: Lane): string =>
  `${place}.${encodeURIComponent(branch)}`;

export function laneOfName(name: string): Lane | undefined {
  const { place, branch } = /^(?<place>here|remote)\.(?<branch>.+)$/.exec(name)?.groups ?? {};
  if (branch === undefined) return undefined;
  try {
    return { place: place === "remote" ? "remote" : "here", branch: decodeURIComponent(branch) };
  } catch {
    return undefined;
  }
}
