// The lanes that the machines of a fleet share, as this machine last saw them: for commands and pages that only look and
// connect to nothing. Nothing is decided by them: a command that merges asks the fleet's database.

import { join } from "node:path";
import * as z from "zod";
import { readOwnTextIfThere, replaceFile } from "../../machine/files/files.ts";
import { entrySchema, laneName, laneSchema, type Lane } from "../../story/landing/entry.ts";
import { landedBatchSchema, landingNowSchema } from "../../story/landing/history.ts";
import { parseJson } from "../../text/parse-json.ts";
import { elsewhereFolder, type Layout } from "../project/layout.ts";
import type { LandingQueue } from "../queue/queue.ts";
import { makeIgnoredFolder } from "../write/ignored-folder.ts";

const knownLaneSchema = z.object({
  lane: laneSchema,
  entries: z.array(entrySchema),
  now: landingNowSchema.optional(),
  history: z.array(landedBatchSchema),
});
export type KnownLane = z.infer<typeof knownLaneSchema>;

const lanesFile = (at: Layout): string => join(elsewhereFolder(at), "lanes.json");

export function saveKnownLanes(at: Layout, lanes: readonly KnownLane[]): void {
  const text = `${JSON.stringify(lanes)}\n`;
  if ((readOwnTextIfThere(lanesFile(at)) ?? "[]\n") === text) return;
  makeIgnoredFolder(elsewhereFolder(at));
  replaceFile(lanesFile(at), text);
}

export const readKnownLanes = (at: Layout): readonly KnownLane[] =>
  z.array(knownLaneSchema).safeParse(parseJson(readOwnTextIfThere(lanesFile(at)) ?? "")).data ?? [];

/** What is known of other machines is added to what this one has in files. */
export function withKnownLanes(local: LandingQueue, at: Layout): LandingQueue {
  const known = (lane: Lane): KnownLane | undefined =>
    readKnownLanes(at).find((one) => laneName(one.lane) === laneName(lane));
  return {
    ...local,
    async lanes() {
      const here = await local.lanes();
      const names = new Set(here.map(laneName));
      const there = readKnownLanes(at).map(({ lane }) => lane);
      return [...here, ...there.filter((lane) => !names.has(laneName(lane)))];
    },
    async list(lane) {
      const entries = [...(await local.list(lane)), ...(known(lane)?.entries ?? [])];
      return entries.toSorted((one, other) => (one.id < other.id ? -1 : 1));
    },
    now: async (lane) => (await local.now(lane)) ?? known(lane)?.now,
    async history(lane) {
      const there = known(lane)?.history ?? [];
      return there.length > 0 ? there : local.history(lane);
    },
  };
}
