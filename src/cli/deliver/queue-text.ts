// The lanes as `saga queue` prints them: by batch, so that what holds for a whole batch is said once and the names fit
// a narrow terminal. Pure.

import type { LaneEntry, LaneView } from "../../story/landing/lane-view.ts";
import { duration } from "../../text/duration.ts";
import { count } from "../../text/plural.ts";
import { columns, plain, type Paint } from "../output/terminal.ts";

export interface NamedLane {
  /** What people call the target. */
  readonly target: string;
  readonly view: LaneView;
}

export function queueText(lanes: readonly NamedLane[], paint: Paint): string {
  const shown = lanes.filter(({ view: { entries, recent } }) => entries.length + recent.length > 0);
  if (shown.length === 0) return "Nothing waits to be merged.\n";
  return shown.map((lane) => `${laneLines(lane, paint).join("\n")}\n`).join("\n");
}

function laneLines({ target, view }: NamedLane, paint: Paint): string[] {
  const { entries, flaky } = view;
  return [
    paint("bold", plain(target)),
    ...(entries.length === 0 ? ["  The queue is empty."] : entryLines(view, paint)),
    ...(isLeftAlone(view) ? ["  No process is merging. Merge the queue: `saga queue run`"] : []),
    ...flaky.map(
      (command) => `  Flaky check (failed and passed on the same code): ${plain(command)}`,
    ),
    ...recentLines(view, paint),
  ];
}

/** A batch has just landed, and none of the processes that wait has taken the lane yet. They look twice a second. */
export const isBetweenBatches = (view: LaneView, nowMs: number): boolean => {
  const [last] = view.recent;
  const sinceMs = last ? nowMs - Date.parse(last.at) : Number.POSITIVE_INFINITY;
  return isLeftAlone(view) && Math.abs(sinceMs) < TAKEOVER_MS;
};

const TAKEOVER_MS = 1_500;

/** Something could be merged, and no process does it. */
const isLeftAlone = ({ hasLander, entries }: LaneView): boolean =>
  !hasLander && entries.some(({ batch }) => batch !== undefined);

function entryLines(view: LaneView, paint: Paint): string[] {
  const { entries } = view;
  const width = String(entries.length).length;
  const lines: string[] = [];
  let last: number | undefined = 0;
  const rows = columns(
    entries.map(({ name, kind, batch, reason, ...entry }, at) => [
      `    ${String(at + 1).padStart(width)}`,
      plain(name),
      // What holds for a batch is in its heading.
      [kind === "epic" ? "epic" : "", placeText(entry), batch === undefined ? plain(reason) : ""]
        .filter(Boolean)
        .join(", "),
    ]),
  );
  for (const [at, entry] of entries.entries()) {
    if (entry.batch !== last) lines.push(`  ${headingOf(entry, view, paint)}`);
    last = entry.batch;
    lines.push(rows[at] ?? "");
  }
  return lines;
}

/** In a fleet. */
const placeText = ({ machine, isLeft }: Pick<LaneEntry, "machine" | "isLeft">): string =>
  machine === undefined ? "" : `on ${machine}${isLeft ? ", which alone can merge it" : ""}`;

function headingOf(entry: LaneEntry, { hasLander, now }: LaneView, paint: Paint): string {
  const { batch, state, reason } = entry;
  if (batch === undefined) return "Not yet";
  const name = `Batch ${batch}`;
  const eta = etaText(entry, hasLander);
  const place = state === "landing" && now?.machine !== undefined ? ` on ${now.machine}` : "";
  return `${state === "landing" ? paint("blue", name) : name} (${plain(reason)})${place}${eta && `, ${eta}`}`;
}

function etaText({ etaMs, state }: LaneEntry, hasLander: boolean): string {
  if (etaMs === undefined) return "";
  if (etaMs === 0) return state === "landing" ? "longer than usual" : "soon";
  const about = `about ${duration(etaMs)}`;
  if (state === "landing") return `${about} left`;
  return hasLander ? `in ${about}` : about;
}

function recentLines({ recent, checks }: LaneView, paint: Paint): string[] {
  if (recent.length === 0) return [];
  const landed = recent.flatMap((batch) => batch.landed).length;
  const run = `${count(checks.run, "check")} run`;
  const text = `Recently merged: ${landed} (${run}, ${checks.saved} saved by merging together)`;
  return [paint("dim", `  ${text}`)];
}
