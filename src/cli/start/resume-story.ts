// Going on with one story of those that were in flight. `saga resume` and `saga recover` share it.

import { messageOf, SagaError } from "../../errors.ts";
import type { InFlight } from "../../recover/in-flight.ts";
import type { CommandContext } from "../program/command.ts";
import { plain, type Paint } from "../output/terminal.ts";
import { startStory, type StartOptions } from "./start-story.ts";

export interface Resumed {
  readonly story: string;
  readonly session?: unknown;
  /** Why it was not resumed. */
  readonly why?: string;
}

/** What stands in the way of one keeps no other from going on. */
export async function resumeOne(
  context: CommandContext,
  one: InFlight,
  options: StartOptions,
): Promise<Resumed> {
  try {
    const fault = whyNot(one);
    if (fault) throw fault;
    const { json } = await startStory(context, one.storyId, options);
    return { story: one.storyId, ...(json as { readonly session?: unknown }) };
  } catch (error) {
    const hint = error instanceof SagaError ? error.hint : undefined;
    return { story: one.storyId, why: [messageOf(error), hint].filter(Boolean).join(" ") };
  }
}

/** What only a person can put right first. */
export function whyNot({
  storyId,
  state,
  branch,
  worktree,
  lostTip,
}: InFlight): SagaError | undefined {
  if (state === "blocked") {
    return new SagaError("not-ready", `The story ${storyId} has a question for you.`, {
      hint: `Answer it with \`saga resolve ${storyId} "…"\`; then \`saga run ${storyId}\`.`,
    });
  }
  if (!worktree.isThere || branch.commit !== undefined) return undefined;
  return new SagaError("not-ready", `The branch ${branch.name} of ${storyId} is gone.`, {
    hint:
      lostTip === undefined
        ? `Nobody knows its last commit. \`saga discard ${storyId}\` keeps the files, and begins anew.`
        : `\`git update-ref refs/heads/${branch.name} ${lostTip}\` brings it back; then resume.`,
  });
}

export const resumedLine = ({ story, why }: Resumed, paint: Paint): string =>
  why === undefined
    ? `${paint("green", "●")} ${story} goes on. Follow it with \`saga logs ${story} -f\`.`
    : `${paint("yellow", "○")} ${story} does not: ${plain(why)}`;
