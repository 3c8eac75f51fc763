// SessionStart: gives the session's shells Saga's variables, and tells Claude where it is and what was
// left in flight.

import { relative } from "node:path";
import { findWorktrees } from "../store/project/find.ts";
import { layoutOf } from "../store/project/layout.ts";
import { readHookStory, type HookStoryView } from "../store/hook/hook-story.ts";
import type { SessionLocation } from "../store/hook/session-location.ts";
import { attentionKind, hasConflict, sectionOf } from "../story/state/attention.ts";
import { parseJournal } from "../story/definition/journal.ts";
import { DEFAULT_SESSION_DIR } from "../story/definition/names.ts";
import { hasBegun } from "../story/state/state.ts";
import { writeEnvFile } from "./env-file.ts";
import { runHook, type HookCall } from "./hook.ts";
import {
  lostStoryContext,
  mainContext,
  MAX_LEFT_OVERS,
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

/** Of what was begun and needs a person. */
function leftOverKind({ story, state, lastRun }: HookStoryView): LeftOver["kind"] | undefined {
  const kind = attentionKind({
    state,
    isBegun: lastRun.hasRun || hasBegun(story),
    hasConflict: hasConflict(story.tasks),
    lastRun: { outcome: lastRun.lastOutcome, pushError: lastRun.pushError },
  });
  const section = kind && sectionOf(kind);
  return section === "needs-you" || section === "continue" ? kind : undefined;
}

async function context(place: SessionLocation, env: HookCall["env"]): Promise<string> {
  const at = layoutOf(place.project);
  const nowMs = Date.now();
  const found = findWorktrees(at).flatMap((worktree) => {
    const seen = readHookStory(at, worktree, nowMs);
    return seen ? { ...worktree, ...seen, kind: leftOverKind(seen) } : [];
  });
  const { storyId } = place;
  // In its own worktree a story's state comes first.
  const begun = found
    .flatMap(({ kind, ...one }) => (kind === undefined ? [] : { ...one, kind }))
    .toSorted((one, other) => Number(other.id === storyId) - Number(one.id === storyId));
  const until = nowMs + GIT_TIMEOUT_MS;
  const leftOvers = await inTurns(begun.slice(0, MAX_LEFT_OVERS), async ({ id, kind, path }) => {
    const changes = await changesIn({ project: place.project, path }, env, until - Date.now());
    return { id, kind, worktree: relative(place.project, path), changes } satisfies LeftOver;
  });
  const more = begun.length - leftOvers.length;
  if (storyId === undefined) return mainContext(leftOvers, more);
  const own =
    found.find(({ path }) => path === place.checkout) ??
    found.find(({ id }) => id === storyId) ??
    readHookStory(at, { id: storyId, path: place.checkout }, nowMs);
  return own === undefined
    ? lostStoryContext(storyId, place.context)
    : storyContext(ownStory(place, storyId, own), leftOvers, more);
}

const ownStory = (
  { checkout, context }: SessionLocation,
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

/** As many programs at once as a machine has room for beside a session that starts. */
const AT_ONCE = 4;

async function inTurns<T, R>(all: readonly T[], act: (one: T) => Promise<R>): Promise<R[]> {
  const done: R[] = [];
  for (let at = 0; at < all.length; at += AT_ONCE) {
    done.push(...(await Promise.all(all.slice(at, at + AT_ONCE).map(act))));
  }
  return done;
}

async function changesIn(
  { project, path }: { readonly project: string; readonly path: string },
  env: HookCall["env"],
  timeoutMs: number,
): Promise<LeftOver["changes"]> {
  if (timeoutMs <= 0) return "unknown";
  // Only now: most sessions begin with nothing in flight, and need no git.
  const { openGit } = await import("../machine/programs/git.ts");
  const status = ["--no-optional-locks", "status", "--porcelain"];
  const result = await openGit(project, env).at(path).attempt(status, { timeoutMs });
  return result.isOk ? (result.stdout === "" ? "none" : "some") : "unknown";
}

/** For all of them together: a session must not wait long for a report. */
const GIT_TIMEOUT_MS = 5_000;
