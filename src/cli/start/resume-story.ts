// Resumes one unfinished story, for `saga resume` and `saga recover`.

import { messageOf, SagaError } from "../../errors.ts";
import type { InFlight } from "../../recover/in-flight.ts";
import type { CommandContext } from "../program/command.ts";
import { plain, type Paint } from "../output/terminal.ts";
import { startStory, type StartOptions } from "./start-story.ts";

export interface ResumedStory {
  readonly story: string;
  readonly session?: unknown;
  /** Why it was not resumed. */
  readonly why?: string;
}

/** Returns a refusal instead of throwing it, so that the other stories are resumed. */
export async function resumeOne(
  context: CommandContext,
  one: InFlight,
  options: StartOptions,
): Promise<ResumedStory> {
  try {
    const refusal = whyNotResumable(one);
    if (refusal) throw refusal;
    const { json } = await startStory(context, one.storyId, options);
    return { story: one.storyId, ...(json as { readonly session?: unknown }) };
  } catch (error) {
    const hint = error instanceof SagaError ? error.hint : undefined;
    return { story: one.storyId, why: [messageOf(error), hint].filter(Boolean).join(" ") };
  }
}

/** What a person must do first. */
export function whyNotResumable({
  storyId,
  state,
  branch,
  worktree,
  lostTip,
}: InFlight): SagaError | undefined {
  if (state === "blocked") {
    return new SagaError("not-ready", `Cannot resume ${storyId}: its agent asks a question.`, {
      hint: `Read it: \`saga journal ${storyId} --open\`. Answer and continue: \`saga resolve ${storyId} "…" --run\`.`,
    });
  }
  if (!worktree.isThere || branch.commit !== undefined) return undefined;
  return new SagaError("not-ready", `The branch ${branch.name} of ${storyId} is gone.`, {
    hint:
      lostTip === undefined
        ? `Its last commit is unknown. \`saga discard ${storyId}\` keeps the files in a snapshot, so you can start over.`
        : `Restore it with \`git update-ref refs/heads/${branch.name} ${lostTip}\`, then resume.`,
  });
}

export const resumedLine = ({ story, why }: ResumedStory, paint: Paint): string =>
  why === undefined
    ? `${paint("green", "✓")} Resumed ${story}. Follow it with \`saga logs ${story} -f\`.`
    : `${paint("red", "✗")} ${story}: ${plain(why)}`;
