import { SagaError, type Problem } from "../../../errors.ts";
import { runningEpics, storiesWithWorker } from "../../watch/active-workers.ts";
import type { CommandResult, Build } from "../../program/command.ts";
import { plain } from "../../output/terminal.ts";
import { stopEpicRun, type EpicStop } from "../../start/epic-session.ts";
import { stoppedLine, stopPools, type StoppedPools } from "../../pool/pool-status.ts";
import type { Store } from "../../../store/store.ts";
import { stopStory, type StopOutcome } from "../../watch/stop-story.ts";
import { runWorker } from "../../start/run-worker.ts";

interface Options {
  readonly all?: boolean;
}

export const build: Build = (builder) =>
  builder.action(
    builder
      .command(
        "stop",
        "Stop workers, their agents and everything they started. Work is kept.",
        ["saga stop add-login", "saga stop --all"],
        {
          1: "a pool or an epic's run is still stopping or runs on another machine, or a lock cannot be read",
        },
      )
      .argument("[stories...]", "the stories to stop")
      .option("--all", "stop every worker, pool and epic run of this project"),
    async (context, words, { all }: Options) => {
      const store = context.openProject();
      // Epic runs first: they would start the next stories.
      const epics = all ? await endEpicRuns(store) : [];
      const unread: Problem[] = [];
      const active = await storiesWithWorker(context, (problem) => unread.push(problem));
      const stories = all ? active : words;
      if (stories.length === 0 && !all) {
        throw new SagaError("usage", "Name a story, or use --all.", {
          hint: "`saga status` shows what is running.",
        });
      }
      const stopped: StoppedStory[] = [];
      for (const story of stories) {
        // Throws if there is no such story. An active one is stopped even if its files are unreadable.
        if (!active.includes(story)) await store.viewStory(story);
        const quiet = { ...context, io: { ...context.io, writeOut: () => undefined } };
        const tidyUp = (): Promise<CommandResult> =>
          runWorker(
            { ...quiet, io: { ...quiet.io, untilStopped: () => AbortSignal.abort() } },
            story,
            {},
          );
        stopped.push({ story, stopped: await stopStory(store, story, context.io.env, tidyUp) });
      }
      // Pools last: they may take a while.
      const pools = all ? await stopPools(context) : NO_POOLS;
      // Unreadable leases only matter when everything is to be stopped.
      const problems = all ? unread : [];
      const lines = [
        ...epics.map(({ epic, stopped: how }) => `The run of epic ${epic} ${EPIC_LINES[how]}`),
        ...stopped.map((one) => storyLine(one)),
        stoppedLine(pools),
        ...problems.map(
          ({ file }) => `${plain(file)} cannot be read; its worker may still be running.`,
        ),
      ].filter((line) => line !== undefined);
      return {
        json: { stories: stopped, epics, pools, problems },
        text: () => (lines.length === 0 ? "Nothing is running.\n" : `${lines.join("\n")}\n`),
        exitCode: pools.left.length + problems.length === 0 && epics.every(hasEnded) ? 0 : 1,
      };
    },
  );

interface StoppedEpic {
  readonly epic: string;
  readonly stopped: EpicStop;
}

async function endEpicRuns(store: Store): Promise<StoppedEpic[]> {
  // Unreadable leases are reported with the stories.
  const runs = await runningEpics(store, () => undefined);
  return Promise.all(
    runs.map(async ({ epicId }) => ({ epic: epicId, stopped: await stopEpicRun(store, epicId) })),
  );
}

const hasEnded = ({ stopped }: StoppedEpic): boolean =>
  stopped === "stopped" || stopped === "not-running";

const EPIC_LINES: Readonly<Record<EpicStop, string>> = {
  "not-running": "is not running.",
  stopped: "was stopped.",
  elsewhere: "is on another machine or in a container; stop it there.",
  slow: "is still running; it may be merging a story.",
};

const NO_POOLS: StoppedPools = { stopped: [], left: [] };

interface StoppedStory {
  readonly story: string;
  readonly stopped: StopOutcome;
}

function storyLine({ story, stopped }: StoppedStory): string {
  if (stopped === "not-running") return `${story} is not running.`;
  const how = stopped === "stopped" ? "was stopped" : "did not stop in time and was killed";
  return `${story} ${how}. Its work is kept. Continue it: \`saga resume ${story}\``;
}
