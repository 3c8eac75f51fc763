// Starts a story right after a person has answered its question or sent it back. The answer is recorded first, and
// stays recorded if the story cannot be started.

import { SagaError } from "../../errors.ts";
import type { CommandResult, CommandContext } from "../program/command.ts";
import { startStory } from "./start-story.ts";

/** `recorded`: a sentence about what was done already. */
export async function thenRun(
  context: CommandContext,
  storyId: string,
  { recorded, json }: { readonly recorded: string; readonly json: object },
): Promise<CommandResult> {
  try {
    const started = await startStory(context, storyId, {});
    return {
      ...started,
      json: { ...json, isStarted: true, ...(started.json as object) },
      text: (paint) => `${recorded}\n${started.text(paint)}`,
    };
  } catch (error) {
    if (!(error instanceof SagaError)) throw error;
    const { code, message, hint, problems } = error;
    throw new SagaError(code, `${recorded} Not started: ${message}`, {
      hint,
      problems,
      cause: error,
    });
  }
}
