import { SagaError, type Problem } from "../../../errors.ts";
import { epicsAtWork, storiesAtWork } from "../../watch/active-workers.ts";
import type { CommandResult, Build } from "../../program/command.ts";
import { plain } from "../../output/terminal.ts";
import { endEpicRun, type EpicStop } from "../../start/epic-session.ts";
import { stoppedLine, stopPools, type StoppedPools } from "../../pool/pool-status.ts";
import type { Store } from "../../../store/store.ts";
import { stopStory, type Stopped } from "../../watch/stop-story.ts";
import { workOn } from "../../start/run-worker.ts";

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
          1: "a pool or the run of an epic was not stopped: it takes long, or runs elsewhere; or a claim cannot be read",
        },
      )
      .argument("[stories...]", "whose workers")
      .option(
        "--all",
        "every worker of this project, the pool's as well, and the runs of its epics",
      ),
    async (context, words, { all }: Options) => {
      const store = context.openProject();
      // The runs of epics first of all: they would start the next stories.
      const epics = all ? await endEpicRuns(store) : [];
      const unread: Problem[] = [];
      const atWork = await storiesAtWork(context, (problem) => unread.push(problem));
      const stories = all ? atWork : words;
      if (stories.length === 0 && !all) {
        throw new SagaError("usage", "Say which story, or --all.", {
          hint: "`saga status` shows what is running.",
        });
      }
      const stopped: { story: string; stopped: Stopped }[] = [];
      for (const story of stories) {
        // Whether it is there; what is at work is stopped even when its files cannot be read.
        if (!atWork.includes(story)) await store.viewStory(story);
        const quiet = { ...context, io: { ...context.io, writeOut: () => undefined } };
        const tidyUp = (): Promise<CommandResult> =>
          workOn(
            { ...quiet, io: { ...quiet.io, untilStopped: () => AbortSignal.abort() } },
            story,
            {},
          );
        stopped.push({ story, stopped: await stopStory(store, story, context.io.env, tidyUp) });
      }
      // The stories first: a pool may need its time to end.
      const pools = all ? await stopPools(context) : NO_POOLS;
      // Who named a story wants no other stopped.
      const problems = all ? unread : [];
      const lines = [
        ...epics.map(({ epic, stopped: how }) => `The run of ${epic} ${EPIC_SAID[how]}`),
        ...stopped.map((one) => `${one.story} ${SAID[one.stopped]}`),
        stoppedLine(pools),
        ...problems.map(
          ({ file }) => `${plain(file)} cannot be read: whose it is may be at work still.`,
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
  // What cannot be read is told with the stories.
  const runs = await epicsAtWork(store, () => undefined);
  return Promise.all(
    runs.map(async ({ epicId }) => ({ epic: epicId, stopped: await endEpicRun(store, epicId) })),
  );
}

const hasEnded = ({ stopped }: StoppedEpic): boolean =>
  stopped === "stopped" || stopped === "not-running";

const EPIC_SAID: Readonly<Record<EpicStop, string>> = {
  "not-running": "was over.",
  stopped: "has ended.",
  elsewhere: "is on another machine, or in a container: end it there.",
  slow: "does not end yet; it may be merging a story.",
};

const NO_POOLS: StoppedPools = { stopped: [], left: [] };

const SAID: Readonly<Record<Stopped, string>> = {
  "not-running": "was not running.",
  stopped: "has stopped. What it had done is kept; `saga run` goes on from there.",
  "ended-hard": "had to be ended. What it had done is kept; `saga run` goes on from there.",
};
