// What a member does with a claimed story, as processes of this machine: `saga worker` and `saga merge`.

import type { Fleet } from "../../fleet/fleet.ts";
import type { MemberActions } from "../../fleet/member/join.ts";
import { askBudget } from "../../fleet/member/within-budget.ts";
import type { ElsewhereLook } from "../../fleet/view/read-other-machines.ts";
import { run } from "../../machine/processes/run.ts";
import { MAX_TIMER_MS } from "../../machine/processes/timer.ts";
import { storyLease } from "../../store/leases/lease-names.ts";
import { followBase } from "../../repo/sharing/follow-base.ts";
import { SagaError } from "../../errors.ts";
import { usualStoryCost } from "../start/budget.ts";
import { argumentsOf } from "../start/run-options.ts";
import type { CommandContext } from "../program/command.ts";
import type { Context } from "../../context.ts";

interface MemberContext extends Pick<Context, "store" | "settings" | "repository"> {
  readonly context: CommandContext;
  readonly elsewhere: Pick<ElsewhereLook, "look">;
  readonly fleet: Pick<Fleet, "epicBudgets" | "leases">;
}

/** A line of what a member does, with the time. */
export const logLine = (
  { writeError }: Pick<CommandContext["io"], "writeError">,
  sentence: string,
): void => writeError(`${new Date().toISOString()}  ${sentence}\n`);

export function memberActions({
  context: { io },
  store,
  settings,
  repository,
  elsewhere,
  fleet,
}: MemberContext): MemberActions {
  const log = (sentence: string): void => logLine(io, sentence);
  let shown: string | undefined;
  /** One at a time: two would get in each other's way. */
  let following: Promise<void> = Promise.resolve();
  const follow = async (): Promise<void> => {
    const { behind, isCurrent } = await followBase(repository, settings.git.base);
    // A story is not judged by an old state: it is tried again later.
    if (!isCurrent) throw new SagaError("program-failed", behind ?? "The remote is unreachable.");
    if (behind !== undefined && behind !== shown) log(behind);
    shown = behind;
  };
  /** Its own processes stay when this one dies: they hold leases of their own. */
  const saga = async (...words: string[]): Promise<void> => {
    const [program = "", ...args] = io.program;
    await run(program, [...args, ...words, `-C${store.project}`, "--json"], {
      cwd: store.project,
      env: io.env,
      timeoutMs: MAX_TIMER_MS,
    });
  };
  return {
    log,
    async readState(storyId) {
      following = following.then(follow, follow);
      await following;
      await elsewhere.look();
      try {
        return (await store.viewStory(storyId)).state;
      } catch (error) {
        if (error instanceof SagaError && error.code === "not-found") return undefined;
        throw error;
      }
    },
    async askBudget(storyId) {
      const budget = await fleet.epicBudgets.ofClaimed(storyId);
      if (budget === undefined) return askBudget(budget, { running: 0, usualUsd: 0 });
      const names = new Set(budget.stories.map(storyLease));
      const running = (await fleet.leases.list()).filter(
        ({ name, life, record }) =>
          names.has(name) && life === "alive" && record.purpose === "work",
      ).length;
      return askBudget(budget, { running, usualUsd: usualStoryCost(store.project, settings) });
    },
    work: (storyId, leftUsd) => saga("worker", storyId, ...argumentsOf({ epicBudget: leftUsd })),
    merge: (storyId) => saga("merge", storyId),
  };
}
