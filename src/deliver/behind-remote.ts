// The local branch after a merge at the remote. It is left behind, unless checkouts may be updated.

import type { Git } from "../machine/programs/git.ts";
import { ownFolders } from "../repo/delivery/land.ts";
import { followRemote } from "../repo/delivery/target.ts";
import type { Repository } from "../repo/repository.ts";
import { checkoutOf } from "../repo/worktree/checked-out.ts";
import { doneRef, readDeliveries, type Delivery } from "../repo/records/delivery-record.ts";
import { commitOf, isAncestor } from "../repo/refs.ts";
import { editableEpic } from "./epic/epic-file.ts";

export interface RemoteMerge {
  readonly repository: Repository;
  /** The story or epic that was merged, as `saga merge` names it. */
  readonly id: string;
  /** The target, and the commit that brought the work there. */
  readonly into: string;
  readonly commit: string;
  /** The last commit of the merged branch. */
  readonly tip: string;
  readonly storyIds: readonly string[];
  readonly epicId: string | undefined;
  readonly updateCheckouts: boolean;
  readonly onWarning: (sentence: string) => void;
}

/** Returns the command that updates the local branch; undefined when it has the merge. */
export async function catchUp(merge: RemoteMerge): Promise<string | undefined> {
  const there = await missingHere(merge);
  if (there === undefined) return undefined;
  const { repository, into, tip, epicId, storyIds, onWarning } = merge;
  const [storyId = merge.id] = storyIds;
  const folders = ownFolders({ storyId, storyIds, epicId });
  if (merge.updateCheckouts) {
    const arriving = await arrivingDeliveries(merge, there);
    const others = arriving.filter((one) => !storyIds.includes(one.storyId));
    const own = [
      { storyId, folders, tip },
      ...others.map((one) => ({ ...one, folders: ownFolders(one) })),
    ];
    const epicIds = await changedEpics(repository.git, arriving);
    if (epicId !== undefined) epicIds.add(epicId);
    const editable = [...epicIds].map(editableEpic);
    const step = { branch: into, to: there, own, editable, onWarning };
    const why = await followRemote(repository, step);
    if (why !== undefined) onWarning(why);
    else if ((await missingHere(merge)) === undefined) return undefined;
  }
  return updateCommand(merge, folders);
}

/** The remote's commit as last fetched, if it has the merge and the local branch does not. */
async function missingHere({
  repository: { git, remote },
  into,
  commit,
}: RemoteMerge): Promise<string | undefined> {
  if (remote === undefined) return undefined;
  const here = await commitOf(git, `refs/heads/${into}`);
  const there = await commitOf(git, `refs/remotes/${remote.name}/${into}`);
  if (here === undefined || there === undefined || (await isAncestor(git, commit, here))) {
    return undefined;
  }
  return (await isAncestor(git, commit, there)) ? there : undefined;
}

/** Everything that landed since the checkout was last updated, also in an epic's branch: its files arrive with it. */
async function arrivingDeliveries(
  { repository: { git }, into }: RemoteMerge,
  there: string,
): Promise<readonly Delivery[]> {
  const arriving = await git.ask(["rev-list", there, `^refs/heads/${into}`, "--"]);
  const commits = new Set(arriving.split("\n"));
  const refs = await git.ask(["for-each-ref", "--format=%(refname)", doneRef("")]);
  const found: Delivery[] = [];
  for (const ref of refs.split("\n").filter((one) => one !== "")) {
    const storyId = ref.slice(doneRef("").length);
    const { done } = await readDeliveries(git, storyId);
    if (done !== undefined && commits.has(done.commit)) found.push(done);
  }
  return found;
}

/** The epics whose files the deliveries changed. */
async function changedEpics(git: Git, deliveries: readonly Delivery[]): Promise<Set<string>> {
  if (deliveries.length === 0) return new Set();
  const flags = ["--no-walk", "--diff-merges=first-parent", "--name-only", "--format="];
  const commits = deliveries.map(({ commit }) => commit);
  const changed = await git.ask(["log", ...flags, ...commits, "--", ":(top).saga/epics"]);
  const ids = changed.split("\n").map((path) => EPIC_FILE.exec(path)?.groups?.["id"]);
  return new Set(ids.filter((id) => id !== undefined));
}

const EPIC_FILE = /^\.saga\/epics\/(?<id>[a-z0-9-]+)\/epic\.json$/;

async function updateCommand(
  { repository, id, into }: RemoteMerge,
  folders: readonly string[],
): Promise<string> {
  const { git, remote, project } = repository;
  const folder = await checkoutOf(repository, into);
  const facts = { id, into, remote: remote?.name ?? "origin", project };
  if (folder === undefined) return commandToUpdate({ ...facts, checkout: undefined });
  const paths = folders.map((path) => `:(top,literal)${path}`);
  const look = ["status", "--porcelain", "--untracked-files=all", "--", ...paths];
  const { stdout } = await git.at(folder).attempt(look, { env: { GIT_OPTIONAL_LOCKS: "0" } });
  return commandToUpdate({ ...facts, checkout: { folder, hasOwnCopies: stdout !== "" } });
}

export interface BehindFacts {
  readonly id: string;
  readonly into: string;
  readonly remote: string;
  readonly project: string;
  /** Undefined if the branch is not checked out. `hasOwnCopies`: with uncommitted copies of the merged files. */
  readonly checkout: { readonly folder: string; readonly hasOwnCopies: boolean } | undefined;
}

/** Git pulls nothing over uncommitted copies of the same files. */
export function commandToUpdate({ id, into, remote, project, checkout }: BehindFacts): string {
  if (checkout === undefined) return `git fetch ${remote} ${into}:${into}`;
  if (checkout.hasOwnCopies) return `saga merge ${id} --update-checkout`;
  return checkout.folder === project ? "git pull" : `git -C ${checkout.folder} pull`;
}
