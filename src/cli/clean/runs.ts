// Deletes what ended runs left: task lists and session files.

import { rmSync, statSync, readdirSync } from "node:fs";
import { removeTaskList, taskListFolder } from "../../claude/tasks/list.ts";
import type { Environment } from "../../machine/processes/environment.ts";
import { ifThere, listFolder } from "../../machine/files/files.ts";
import { layoutOf, runsFolder } from "../../store/project/layout.ts";
import type { Store } from "../../store/store.ts";
import { isPoolName, epicOfSession, storyOfSession } from "../../story/definition/names.ts";
import type { Run } from "../../story/state/run.ts";
import { sagaSessions } from "../watch/session-list.ts";
import { isLeftOver, type SessionFile } from "./session-files.ts";
import { readKnownSessions } from "./known-sessions.ts";
import { withFreeLease } from "./with-lease.ts";
import { join } from "node:path";
import { sessionFolderPath } from "../../store/project/session-folder.ts";

export async function cleanRuns(
  store: Store,
  env: Environment,
  isDryRun: boolean,
): Promise<string[]> {
  // Taken before the sessions are listed: a younger file may belong to a session that is not in the list.
  const nowMs = Date.now();
  const living = await sagaSessions(env);
  const runs = await prunedRuns(store, isDryRun);
  const lists = listsOf(runs, env);
  const known = await readKnownSessions(store, living, runs);
  const files = sessionFiles(env, nowMs).flatMap((file) =>
    isLeftOver(file, known) ? [file.path] : [],
  );
  if (!isDryRun) {
    lists.forEach(removeTaskList);
    for (const path of files) rmSync(path, { force: true });
  }
  return [...lists, ...files];
}

/** Prunes old runs of stories without a lease, and returns all that remain. */
async function prunedRuns(store: Store, isDryRun: boolean): Promise<Run[]> {
  const { stories } = await store.overview();
  const { run } = await store.settings();
  const runs: Run[] = [];
  const haveRun = listFolder(runsFolder(layoutOf(store.project))).map(({ name }) => name);
  for (const storyId of haveRun.filter((id) => stories.has(id) || isPoolName(id))) {
    await withFreeLease({ store, storyId, isDryRun }, async (isFree) => {
      if (isFree && !isDryRun) await store.pruneRuns(storyId, run.keep);
    });
    runs.push(...(await store.listRuns(storyId)));
  }
  return runs;
}

/** Only of runs that have ended: after a kill, the next worker reads the list. */
const listsOf = (runs: readonly Run[], env: Environment): string[] =>
  runs
    .flatMap(({ endedAt, taskList }) => (endedAt === undefined ? [] : (taskList ?? [])))
    .map((list) => taskListFolder(env, list))
    .filter((folder) => ifThere(() => statSync(folder)) !== undefined);

function sessionFiles(env: Environment, nowMs: number): SessionFile[] {
  const folder = sessionFolderPath(env);
  return (ifThere(() => readdirSync(folder)) ?? []).flatMap((name) => {
    const session = /^(?<session>saga-.+)\.(?:out|env)$/.exec(name)?.groups?.["session"];
    const path = join(folder, name);
    const changedMs = ifThere(() => statSync(path).mtimeMs);
    if (session === undefined || changedMs === undefined || !isOfSaga(session)) return [];
    return [{ path, session, isEnvironment: name.endsWith(".env"), ageMs: nowMs - changedMs }];
  });
}

const isOfSaga = (session: string): boolean =>
  storyOfSession(session) !== undefined || epicOfSession(session) !== undefined;
