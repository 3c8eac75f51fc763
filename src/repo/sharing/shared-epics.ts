// Which epics the fleet works on: a ref per epic at the remote, `refs/saga/fleet/<epic>`. The queue in the database can be
// built again from it.

import { gitError } from "../../machine/programs/git.ts";
import { idProblem } from "../../story/definition/names.ts";
import { pushCommit, readRemoteRefs } from "../remote-branch.ts";
import { reasonIn, type Repository } from "../repository.ts";
import { readNote, writeNote } from "./note-ref.ts";

const PREFIX = "refs/saga/fleet/";

export interface SharedEpic {
  readonly epicId: string;
  /** Whether members merge its stories. */
  readonly merge: boolean;
  /** What its run may cost. Undefined for no limit. */
  readonly budgetUsd?: number | undefined;
}

export async function shareEpic(
  { git, remote }: Repository,
  { epicId, merge, budgetUsd }: SharedEpic,
): Promise<void> {
  if (remote === undefined) return;
  const note = await writeNote(git, `fleet: ${epicId}`, {
    Merge: merge ? "yes" : "no",
    ...(budgetUsd !== undefined && { Budget: String(budgetUsd) }),
  });
  const pushed = await pushCommit(git, remote, [`+${note}:${PREFIX}${epicId}`]);
  if (!pushed.isOk) {
    throw gitError(`${epicId} could not be shared: ${reasonIn(pushed.stderr)}`);
  }
}

export async function readSharedEpics(repository: Repository): Promise<SharedEpic[]> {
  const epics: SharedEpic[] = [];
  for (const [ref, commit] of await readRemoteRefs(repository, [`${PREFIX}*`])) {
    const epicId = ref.slice(PREFIX.length);
    if (idProblem("epic", epicId) !== undefined) continue;
    const { Merge, Budget = "" } = await readNote(repository, ref, commit);
    const budgetUsd = Number(Budget);
    const isLimit = Number.isFinite(budgetUsd) && budgetUsd > 0;
    epics.push({ epicId, merge: Merge === "yes", ...(isLimit && { budgetUsd }) });
  }
  return epics;
}

/** Repeating it changes nothing. */
export async function unshareEpic({ git, remote }: Repository, epicId: string): Promise<void> {
  if (remote !== undefined) await pushCommit(git, remote, [`:${PREFIX}${epicId}`]);
}
