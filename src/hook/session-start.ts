// SessionStart: gives Saga's variables to the session's shells, and tells Claude where it is and which stories are
// unfinished.

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
  MAX_UNFINISHED,
  storyContext,
  type UnfinishedStory,
  type OwnStory,
} from "./session-context.ts";

void runHook(async (call) => {
  const { place, env } = call;
  const file = env["CLAUDE_ENV_FILE"];
  if (file) writeEnvFile(file, { ...variables(call), ...(await ports(call)) });
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

async function ports({ place }: HookCall): Promise<Record<string, string | undefined>> {
  const { storyId, checkout, project } = place;
  if (storyId === undefined) return { SAGA_PORT: undefined, SAGA_PORT_COUNT: undefined };
  const { readCheckSettings } = await import("../store/hook/check-settings.ts");
  const { sessionPorts } = await import("../gate/check-place.ts");
  return sessionPorts({ checkout, storyId, settings: readCheckSettings(layoutOf(project)) });
}

/** The kind of attention that a story which was started needs from a person, if any. */
function unfinishedKind({
  story,
  state,
  lastRun,
}: HookStoryView): UnfinishedStory["kind"] | undefined {
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
    const view = readHookStory(at, worktree, nowMs);
    return view ? { ...worktree, ...view, kind: unfinishedKind(view) } : [];
  });
  const { storyId } = place;
  // In its own worktree a story's state comes first.
  const begun = found
    .flatMap(({ kind, ...one }) => (kind === undefined ? [] : { ...one, kind }))
    .toSorted((one, other) => Number(other.id === storyId) - Number(one.id === storyId));
  const until = nowMs + GIT_TIMEOUT_MS;
  const unfinished = await mapInBatches(
    begun.slice(0, MAX_UNFINISHED),
    async ({ id, kind, path }) => {
      const changes = await changesIn({ project: place.project, path }, env, until - Date.now());
      return {
        id,
        kind,
        worktree: relative(place.project, path),
        changes,
      } satisfies UnfinishedStory;
    },
  );
  const more = begun.length - unfinished.length;
  if (storyId === undefined) return mainContext(unfinished, more);
  const own =
    found.find(({ path }) => path === place.checkout) ??
    found.find(({ id }) => id === storyId) ??
    readHookStory(at, { id: storyId, path: place.checkout }, nowMs);
  return own === undefined
    ? lostStoryContext(storyId, place.context)
    : storyContext(ownStory(place, storyId, own), unfinished, more);
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

/** Few at once: a session is starting at the same time. */
const CONCURRENCY = 4;

async function mapInBatches<T, R>(all: readonly T[], act: (one: T) => Promise<R>): Promise<R[]> {
  const done: R[] = [];
  for (let at = 0; at < all.length; at += CONCURRENCY) {
    done.push(...(await Promise.all(all.slice(at, at + CONCURRENCY).map(act))));
  }
  return done;
}

async function changesIn(
  { project, path }: { readonly project: string; readonly path: string },
  env: HookCall["env"],
  timeoutMs: number,
): Promise<UnfinishedStory["changes"]> {
  if (timeoutMs <= 0) return "unknown";
  // Loaded only now: most sessions start without unfinished stories, and need no git.
  const { openGit } = await import("../machine/programs/git.ts");
  // Git does not look into nested repositories: it would run the filters that an agent set up there.
  const status = ["--no-optional-locks", "status", "--porcelain", "--ignore-submodules=dirty"];
  const result = await openGit(project, env).at(path).attempt(status, { timeoutMs });
  return result.isOk ? (result.stdout === "" ? "none" : "some") : "unknown";
}

/** For all stories together: a session must not wait long for this report. */
const GIT_TIMEOUT_MS = 5_000;
