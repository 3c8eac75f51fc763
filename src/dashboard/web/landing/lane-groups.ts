// The entries of a lane in the groups in which they land, and the words for them. Pure.

import type { LaneCard, LaneEntryCard } from "../../protocol/landing.ts";
import { count, duration } from "../words/format.ts";

export interface EntryGroup {
  readonly title: string;
  readonly entries: readonly (LaneEntryCard & { readonly position: number })[];
}

export function laneGroups({ entries }: Pick<LaneCard, "entries">): EntryGroup[] {
  const groups = new Map<string, EntryGroup["entries"][number][]>();
  for (const [at, entry] of entries.entries()) {
    const title = titleOf(entry, entries);
    groups.set(title, [...(groups.get(title) ?? []), { ...entry, position: at + 1 }]);
  }
  return [...groups].map(([title, of]) => ({ title, entries: of }));
}

function titleOf({ batch, state }: LaneEntryCard, all: readonly LaneEntryCard[]): string {
  if (state === "held") return "On hold";
  if (state === "landing") return "Landing now";
  if (batch === undefined) return "Waiting for others";
  const first = all.some((entry) => entry.state === "landing") ? 2 : 1;
  return batch === first ? "Next batch" : `Batch ${batch}`;
}

/** What the lander does. */
export function stepText(
  { entries, step, machine }: NonNullable<LaneCard["now"]>,
  target: string,
): string {
  const work = entries.length === 1 ? "one change" : `${entries.length} changes together`;
  const place = machine === undefined ? "" : ` on ${machine}`;
  switch (step) {
    case "compose":
      return `Combining ${work} with ${target}${place}`;
    case "verify":
      return `Checking ${work}${place}`;
    case "land":
      return `Updating ${target}${place}`;
  }
}

/** While a failed batch is searched: how many of its entries the check runs with. */
export function searchText({
  entries,
  step,
  candidate,
}: NonNullable<LaneCard["now"]>): string | undefined {
  if (step !== "verify" || candidate === undefined || candidate === entries.length)
    return undefined;
  return candidate === 0
    ? "The checks failed. Checking the target itself"
    : `The checks failed. Searching for the cause: with the first ${candidate} of ${entries.length}`;
}

export function etaText({ landsAt, etaMs, state }: LaneEntryCard, nowMs: number): string {
  if (landsAt !== undefined) {
    const left = Date.parse(landsAt) - nowMs;
    return left > 0 ? `in about ${roughly(left)}` : "any moment";
  }
  if (etaMs !== undefined) return `takes about ${roughly(etaMs)}`;
  return state === "landing" ? "any moment" : "";
}

/** Seconds would suggest that it is exact. */
const roughly = (ms: number): string =>
  ms < 60_000 ? `${Math.ceil(ms / 10_000) * 10}s` : duration(Math.ceil(ms / 60_000) * 60_000);

export const savedText = ({ run, saved }: LaneCard["checks"]): string =>
  saved === 0
    ? `${count(run, "check")} run`
    : `${count(run, "check")} run, ${saved} saved by merging together`;
