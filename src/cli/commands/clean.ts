import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { removeTaskList, taskListFolder } from "../../claude/task-list.ts";
import type { Environment } from "../../machine/environment.ts";
import { ifThere, listFolder } from "../../machine/files.ts";
import { lifeOf } from "../../machine/process.ts";
import { findBase, findRepository } from "../../repo/base.ts";
import { removeWorktree } from "../../repo/remove.ts";
import { PERSON, workerIn } from "../../store/claimants.ts";
import {
  filledAsides,
  halfWritten,
  isRunning,
  removeHalfWritten,
  seeDaemons,
} from "../../store/daemon-files.ts";
import { findWorktrees } from "../../store/find.ts";
import { layoutOf, leasesFolder, runsFolder } from "../../store/layout.ts";
import type { LeaseState } from "../../store/lease.ts";
import { epicLease, isSlotLease, storyLease, storyOfLease } from "../../store/lease-names.ts";
import { sessionFolderPath } from "../../store/session-folder.ts";
import type { Store } from "../../store/store.ts";
import { epicOfSession, isPoolName, POOL_DAEMON, storyOfSession } from "../../story/names.ts";
import type { Run } from "../../story/run.ts";
import type { Build } from "../command.ts";
import { plain, type Paint } from "../output.ts";
import { sagaSessions } from "../session-list.ts";

interface Options {
  readonly dryRun?: boolean;
}

interface Cleaned {
  readonly removed: readonly string[];
  /** What was looked at and is needed still, with the reason. */
  readonly left: readonly string[];
}

/** A session's file that belongs to no run of this project may be another project's. */
const FORGOTTEN_MS = 24 * 3600_000;
/** Its file is there a moment before the session is. */
const BEGUN_MS = 5_000;

export const build: Build = (shell) =>
  shell.action(
    shell
      .command(
        "clean",
        "Remove what is left over: ended sessions' files, task lists, merged worktrees.",
        ["saga clean --dry-run     only say what would go", "saga clean"],
      )
      .option("--dry-run", "remove nothing, only say what would go"),
    async ({ io, openProject }, _, { dryRun = false }: Options) => {
      const store = openProject();
      const parts = [
        await cleanLeases(store, dryRun),
        await cleanWorktrees(store, io.env, dryRun),
        await cleanRuns(store, io.env, dryRun),
        cleanHalfWritten(store, dryRun),
        setAside(store),
      ];
      const removed = parts.flatMap((part) => part.removed);
      const left = parts.flatMap((part) => part.left);
      return {
        json: { removed, left, isDryRun: dryRun },
        text: (paint) => render({ removed, left }, dryRun, paint),
      };
    },
  );

/**
 * Of the dead. That of a story's worker tells the next one that something was left in the middle; those
 * of the pool are its own while it runs.
 */
async function cleanLeases(store: Store, isDryRun: boolean): Promise<Cleaned> {
  const hasPool = seeDaemons(store.project).some(isRunning);
  const isPools = (name: string): boolean =>
    isSlotLease(name) || isPoolName(storyOfLease(name) ?? "");
  const isNeeded = (lease: LeaseState): boolean =>
    isPools(lease.name)
      ? hasPool
      : storyOfLease(lease.name) !== undefined && workerIn(lease) !== "none";
  const over = (await store.leases.list()).filter(
    (lease) => lease.life === "dead" && !isNeeded(lease),
  );
  for (const { name } of isDryRun ? [] : over) {
    const { lease } = await store.leases.acquire(name, { owner: PERSON, ttlMs: TTL_MS });
    lease?.release();
  }
  const folder = leasesFolder(layoutOf(store.project));
  return { removed: over.map(({ name }) => join(folder, name)), left: [] };
}

async function cleanWorktrees(store: Store, env: Environment, isDryRun: boolean): Promise<Cleaned> {
  const removed: string[] = [];
  const left: string[] = [];
  const worktrees = findWorktrees(layoutOf(store.project));
  if (worktrees.length === 0) return { removed, left };
  const repository = await findRepository(store.project, env);
  const { git, worktree } = await store.settings();
  const { commit: baseCommit } = await findBase(repository, git.base);
  for (const { id: storyId, path } of worktrees) {
    const exclude = [...worktree.copy, ...worktree.link];
    const request = { repository, storyId, baseCommit, exclude, isDryRun };
    const removal = await whileFree({ store, storyId, isDryRun }, (isFree) =>
      removeWorktree({ ...request, isLeased: !isFree }),
    );
    if (removal.removed) removed.push(path);
    else left.push(removal.why);
  }
  return { removed, left };
}

const TTL_MS = 60_000;

/** Nobody begins on it in the meantime. A dead worker's lease stays: the next one is told by it. */
async function whileFree<T>(
  { store, storyId, isDryRun }: { store: Store; storyId: string; isDryRun: boolean },
  act: (isFree: boolean) => Promise<T>,
): Promise<T> {
  const name = storyLease(storyId);
  const isTaken = (await store.leases.read(name)) !== undefined;
  if (isTaken || isDryRun) return act(!isTaken);
  const { lease } = await store.leases.acquire(name, { owner: PERSON, ttlMs: TTL_MS });
  try {
    return await act(lease !== undefined);
  } finally {
    lease?.release();
  }
}

/** Output files and task lists of runs that are over. What a next worker has to look at stays. */
async function cleanRuns(store: Store, env: Environment, isDryRun: boolean): Promise<Cleaned> {
  const living = new Set((await sagaSessions(env)).map(({ name }) => name));
  const { stories } = await store.overview();
  const { run } = await store.settings();
  const runs: Run[] = [];
  const haveRun = listFolder(runsFolder(layoutOf(store.project))).map(({ name }) => name);
  for (const storyId of haveRun.filter((id) => stories.has(id) || isPoolName(id))) {
    await whileFree({ store, storyId, isDryRun }, async (isFree) => {
      if (isFree && !isDryRun) await store.pruneRuns(storyId, run.keep);
    });
    runs.push(...(await store.listRuns(storyId)));
  }
  const over = runs.filter((run) => run.endedAt !== undefined);
  const dead = runs.filter((run) => run.worker !== undefined && lifeOf(run.worker) === "dead");
  const lists = over
    .flatMap((run) => run.taskList ?? [])
    .map((list) => taskListFolder(env, list))
    .filter((folder) => ifThere(() => statSync(folder)) !== undefined);
  const isIdle = (session: string): boolean => {
    const storyId = storyOfSession(session)?.storyId ?? "";
    // Whosever pool that was: its daemon has read what they said. What the daemon itself said may be needed.
    const isPools = isPoolName(storyId) && storyId !== POOL_DAEMON;
    return isPools || idle.stories.has(storyId) || idle.epics.has(epicOfSession(session) ?? "");
  };
  const ended = new Set([...over, ...dead].flatMap((run) => run.session ?? []));
  for (const session of poolSessions(store)) ended.add(session);
  const idle = await idleNames(store);
  const files = sessionFiles(env).filter(
    ({ session, ageMs, isEnvironment }) =>
      !living.has(session) &&
      (ended.has(session) ||
        ageMs > FORGOTTEN_MS ||
        (ageMs > BEGUN_MS && (isEnvironment || isIdle(session)))),
  );
  if (!isDryRun) {
    lists.forEach(removeTaskList);
    files.forEach(({ path }) => rmSync(path, { force: true }));
  }
  return { removed: [...lists, ...files.map(({ path }) => path)], left: [] };
}

/** Of daemons and workers that are gone: killed, they could not take their files along. */
const poolSessions = ({ project }: Store): string[] =>
  seeDaemons(project).flatMap(({ daemon, life, workers }) => [
    ...(life === "dead" ? [daemon.session ?? []].flat() : []),
    ...workers.flatMap((worker) => (worker.life === "dead" ? (worker.session ?? []) : [])),
  ]);

/** Of this project, and nobody has them: a session that could not begin has left no run. */
async function idleNames(store: Store): Promise<{ epics: Set<string>; stories: Set<string> }> {
  const { epics, stories } = await store.overview();
  const living = new Set(
    (await store.leases.list()).flatMap(({ name, life }) => (life === "alive" ? [name] : [])),
  );
  const without = (ids: Iterable<string>, leaseOf: (id: string) => string): Set<string> =>
    new Set([...ids].filter((id) => !living.has(leaseOf(id))));
  return { epics: without(epics.keys(), epicLease), stories: without(stories.keys(), storyLease) };
}

/** Of the pool's own files. */
function cleanHalfWritten({ project }: Store, isDryRun: boolean): Cleaned {
  const removed = halfWritten(project);
  if (!isDryRun) removeHalfWritten(removed);
  return { removed, left: [] };
}

/** Nobody but a person knows what it is worth. */
const setAside = ({ project }: Store): Cleaned => ({
  removed: [],
  left: filledAsides(project).map(
    (folder) =>
      `${folder} has what no snapshot could hold. Remove it when you have what you need of it.`,
  ),
});

interface SessionFile {
  readonly path: string;
  /** With keys in it. Its session reads and removes it first of all; without one nobody ever will. */
  readonly isEnvironment: boolean;
  readonly session: string;
  readonly ageMs: number;
}

function sessionFiles(env: Environment): SessionFile[] {
  const folder = sessionFolderPath(env);
  return (ifThere(() => readdirSync(folder)) ?? []).flatMap((name) => {
    const session = /^(?<session>saga-.+)\.(?:out|env)$/.exec(name)?.groups?.["session"];
    const path = join(folder, name);
    const changedMs = ifThere(() => statSync(path).mtimeMs);
    if (session === undefined || changedMs === undefined || !isOfSaga(session)) return [];
    const isEnvironment = name.endsWith(".env");
    return [{ path, session, isEnvironment, ageMs: Date.now() - changedMs }];
  });
}

const isOfSaga = (session: string): boolean =>
  storyOfSession(session) !== undefined || epicOfSession(session) !== undefined;

function render({ removed, left }: Cleaned, isDryRun: boolean, paint: Paint): string {
  const lines = [
    ...removed.map((path) => `${isDryRun ? "would remove" : "removed"}  ${plain(path)}`),
    ...left.map((why) => `${paint("dim", "left")}  ${plain(why)}`),
  ];
  return lines.length === 0 ? "There is nothing to clean.\n" : `${lines.join("\n")}\n`;
}
