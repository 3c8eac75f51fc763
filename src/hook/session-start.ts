// SessionStart: gives the session's shells Saga's variables, and tells Claude where it is and what was
// left in flight.

import { relative } from "node:path";
import { findWorktrees } from "../store/find.ts";
import { layoutOf } from "../store/layout.ts";
import { plainState } from "../store/plain-story.ts";
import type { Surroundings } from "../store/surroundings.ts";
import { parseJournal } from "../story/journal.ts";
import { DEFAULT_SESSION_DIR } from "../story/names.ts";
import type { StoryState } from "../story/state.ts";
import { writeEnvFile } from "./env-file.ts";
import { runHook, type HookCall } from "./hook.ts";
import {
  lostStoryContext,
  mainContext,
  storyContext,
  type LeftOver,
  type OwnStory,
} from "./session-context.ts";

void runHook(async (call) => {
  const { place, env } = call;
  const file = env["CLAUDE_ENV_FILE"];
  if (file) writeEnvFile(file, variables(call));
  const additionalContext = await context(place, env);
  return { hookSpecificOutput: { hookEventName: "SessionStart", additionalContext } };
});

const variables = ({ place, env }: HookCall): Record<string, string | undefined> => ({
  SAGA_PROJECT_DIR: place.checkout,
  SAGA_PLUGIN_ROOT: env["CLAUDE_PLUGIN_ROOT"],
  SAGA_TASK_CONTEXT: place.context,
  SAGA_SESSION_DIR: env["SAGA_SESSION_DIR"] || DEFAULT_SESSION_DIR,
  SAGA_STORY_ID: place.storyId,
  SAGA_STORY_PATH: place.storyId,
});

/** What is begun, and needs a person to go on. */
const LEFT_OVER: ReadonlySet<StoryState> = new Set(["interrupted", "failed", "blocked", "review"]);

async function context(place: Surroundings, env: HookCall["env"]): Promise<string> {
  const at = layoutOf(place.project);
  const nowMs = Date.now();
  const found = findWorktrees(at).flatMap((worktree) => {
    const seen = plainState(at, worktree, nowMs);
    return seen ? { ...worktree, ...seen } : [];
  });
  const leftOvers = await Promise.all(
    found
      .filter(({ id, state }) => LEFT_OVER.has(state) && id !== place.storyId)
      .map(async ({ id, state, path }): Promise<LeftOver> => {
        const worktree = relative(place.project, path);
        return { id, state, worktree, hasUncommitted: await hasUncommitted(path, env) };
      }),
  );
  const { storyId } = place;
  if (storyId === undefined) return mainContext(leftOvers);
  const own =
    found.find(({ path }) => path === place.checkout) ??
    found.find(({ id }) => id === storyId) ??
    plainState(at, { id: storyId, path: place.checkout }, nowMs);
  return own === undefined
    ? lostStoryContext(storyId, place.context)
    : storyContext(ownStory(place, storyId, own), leftOvers);
}

const ownStory = (
  { checkout, context }: Surroundings,
  id: string,
  { story, state }: Pick<OwnStory, "story" | "state">,
): OwnStory => ({
  id,
  story,
  state,
  checkout,
  context,
  questions: parseJournal(story.journal).open.map(({ title }) => title),
});

async function hasUncommitted(
  worktree: string,
  env: HookCall["env"],
): Promise<boolean | undefined> {
  // Only now: most sessions begin with nothing in flight, and need no git.
  const { openGit } = await import("../machine/git.ts");
  const status = ["--no-optional-locks", "status", "--porcelain"];
  const result = await openGit(worktree, env).attempt(status, { timeoutMs: GIT_TIMEOUT_MS });
  return result.isOk ? result.stdout !== "" : undefined;
}

/** A session must not wait long for a report. */
const GIT_TIMEOUT_MS = 5_000;
