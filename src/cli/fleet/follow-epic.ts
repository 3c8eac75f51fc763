// `saga epic run --fleet`: puts the epic into the fleet's queue and follows it. Ending this command ends nothing else.

import { setTimeout as wait } from "node:timers/promises";
import type { JobState, JobView } from "../../fleet/engine/jobs.ts";
import { fleetWorkText } from "../../story/state/fleet-work.ts";
import { fleetView, type FleetStory } from "../../fleet/view/read-fleet.ts";
import { shareEpic, unshareEpic } from "../../repo/sharing/shared-epics.ts";
import { EXIT } from "../../story/state/exit-codes.ts";
import type { CommandContext, CommandResult } from "../program/command.ts";
import { enqueueEpic } from "./enqueue-epic.ts";
import { openFollowingLook } from "./follow-discards.ts";
import { openFleetOf } from "./open-fleet.ts";

interface EpicOptions {
  readonly merge: boolean;
  /** Returns at once. */
  readonly detach: boolean;
  /** Called with the stories after each look. */
  readonly onLook?: (stories: readonly FleetStory[]) => Promise<void>;
}

const POLL_MS = 2_000;

export async function runEpicOnFleet(
  { io, openProject }: CommandContext,
  epicId: string,
  { merge, detach, onLook = async () => undefined }: EpicOptions,
): Promise<CommandResult> {
  const store = openProject();
  const fleet = await openFleetOf({ project: store.project, env: io.env }, await store.settings());
  const { repository, root } = fleet;
  const stop = io.untilStopped();
  const jobs = await fleet.openJobs();
  try {
    const { queued, open } = await enqueueEpic(
      { store, repository, jobs, root },
      { epicId, merge },
    );
    await shareEpic(repository, { epicId, merge });
    const shown = new Map<string, string>();
    for (;;) {
      const stories = fleetView(fleet, {
        machines: [],
        jobs: await jobs.list(),
        leases: await fleet.leases.list(),
      }).stories.filter(({ story }) => open.includes(story));
      if (!detach) showChanges(stories, shown, io.writeError);
      await onLook(stories);
      const end = endOf(stories.map(({ queue }) => queue));
      if (end === "done") await unshareEpic(repository, epicId);
      if (end !== undefined) {
        // So that `saga list` here shows the end. If it fails, the next look does.
        const { env } = io;
        await openFollowingLook({ store, repository, env, fleet, onProblem: () => undefined })
          .look()
          .catch(() => undefined);
      }
      if (end !== undefined || detach || stop.aborted) {
        return resultOf(epicId, { queued, stories, end });
      }
      await wait(POLL_MS, undefined, { signal: stop }).catch(() => undefined);
    }
  } finally {
    await jobs.close();
    await fleet.close();
  }
}

function showChanges(
  stories: readonly FleetStory[],
  shown: Map<string, string>,
  write: (text: string) => void,
): void {
  for (const one of stories) {
    const about = fleetWorkText(one);
    if (shown.get(one.story) !== about) write(`${one.story}  ${about}\n`);
    shown.set(one.story, about);
  }
}

/** Undefined while something can still happen without a person. */
export function endOf(
  states: readonly (JobView["state"] | undefined)[],
): "done" | "parked" | undefined {
  const can = (state: JobState): boolean => states.includes(state);
  if (can("active") || can("queued")) return undefined;
  // What waits, waits for something that a person has to do.
  return states.every((state) => state === "done") ? "done" : "parked";
}

interface EpicFollowed {
  readonly queued: readonly string[];
  readonly stories: readonly FleetStory[];
  readonly end: "done" | "parked" | undefined;
}

const resultOf = (epic: string, { queued, stories, end }: EpicFollowed): CommandResult => ({
  json: { epic, queued, stories, isDone: end === "done" },
  text: (paint) => {
    if (end === "done") return `${paint("green", "✓")} All stories of ${epic} are done\n`;
    if (end === undefined)
      return `${paint("green", "✓")} ${epic} is in the fleet's queue: \`saga fleet status\`\n`;
    const open = stories.filter(({ queue }) => queue !== "done").map(({ story }) => story);
    return `${paint("yellow", "!")} ${open.join(", ")} of ${epic} ${open.length === 1 ? "needs" : "need"} a person: \`saga fleet status\`\n`;
  },
  exitCode: end === "parked" ? EXIT.error : 0,
});
