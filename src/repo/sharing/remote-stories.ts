// What the remote knows of stories: who owned each last, and where its files are. Asks the remote once, and fetches only
// what has changed. The person's branches and checkout are never touched.

import { gitFailure } from "../../machine/programs/git-failure.ts";
import { gitError } from "../../machine/programs/git.ts";
import { readObjects } from "../../machine/programs/object-reader.ts";
import { idProblem } from "../../story/definition/names.ts";
import { fetchRefs, reasonIn, type Repository } from "../repository.ts";
import { commitOf } from "../refs.ts";
import { readRemoteRefs } from "../remote-branch.ts";
import { readStoryOwner } from "./lease-ref.ts";
import { factsIn } from "./note-ref.ts";
import { discardIn, type RemoteDiscard } from "./shared-discard.ts";
import { newestShared, snapshotOf } from "./shared-snapshots.ts";

export interface RemoteStory {
  readonly storyId: string;
  /** The machine that owned it last. */
  readonly machine: string;
  readonly fence: number;
  /** The commit with its newest files: of its branch, or a snapshot of what is not committed on top of it. */
  readonly commit: string;
}

export interface RemoteStories {
  /** Stories that have an owner and a branch, in no order. */
  readonly stories: readonly RemoteStory[];
  /** Commits of the base and of the branches of epics, by name. */
  readonly targets: ReadonlyMap<string, string>;
  /** Stories that were discarded since they last landed. */
  readonly discards: readonly RemoteDiscard[];
}

const LEASE = "refs/saga/lease/";
const KEEP = "refs/saga/keep/";
const STORY = "refs/heads/story/";
const EPIC = "refs/heads/epic/";

/** Throws if the remote cannot be asked. */
export async function readRemoteStories(
  repository: Repository,
  base: string,
): Promise<RemoteStories> {
  const patterns = [`refs/heads/${base}`, `${STORY}*`, `${EPIC}*`, `${LEASE}*`, `${KEEP}*`];
  const there = await readRemoteRefs(repository, patterns);
  await fetchChanged(
    repository,
    [...there].filter(([ref]) => !ref.startsWith(KEEP)),
  );
  const { git } = repository;
  const leases = [...there].filter(([ref]) => ref.startsWith(LEASE));
  const notes = await readObjects(
    git,
    leases.map(([, commit]) => commit),
  );
  const stories: RemoteStory[] = [];
  const discards: RemoteDiscard[] = [];
  for (const [at, [ref]] of leases.entries()) {
    const storyId = ref.slice(LEASE.length);
    const branch = there.get(`${STORY}${storyId}`);
    const facts = factsIn(notes[at]?.content.toString() ?? "");
    const { Machine: machine, Fence = "" } = facts;
    if (machine === undefined || !/^\d{1,15}$/.test(Fence)) continue;
    if (idProblem("story", storyId) !== undefined) continue;
    const discard = discardIn(facts);
    if (discard) discards.push({ storyId, discard, machine, branch });
    if (branch === undefined) continue;
    const commit = await newestFiles(repository, there, { storyId, machine, branch });
    stories.push({ storyId, machine, fence: Number(Fence), commit });
  }
  const targets = [...there].filter(
    ([ref]) => ref.startsWith(EPIC) || ref === `refs/heads/${base}`,
  );
  return {
    stories,
    discards,
    targets: new Map(targets.map(([ref, commit]) => [ref.replace("refs/heads/", ""), commit])),
  };
}

/** Whether this story was discarded. Throws if the remote cannot be asked. */
export async function readDiscard(
  repository: Repository,
  storyId: string,
): Promise<RemoteDiscard | undefined> {
  const { discard, machine = "" } = await readStoryOwner(repository, storyId);
  if (discard === undefined) return undefined;
  const branch = `${STORY}${storyId}`;
  const there = await readRemoteRefs(repository, [branch]);
  return { storyId, discard, machine, branch: there.get(branch) };
}

/** More at once are fetched by pattern: a command line has a limit. */
const MANY = 100;

async function fetchChanged(
  { git, remote }: Repository,
  refs: readonly (readonly [ref: string, commit: string])[],
): Promise<void> {
  const name = remote?.name ?? "";
  const local = (ref: string): string =>
    ref.startsWith(LEASE) || ref.startsWith(KEEP)
      ? ref.replace("refs/saga/", "refs/saga/remote/")
      : ref.replace("refs/heads/", `refs/remotes/${name}/`);
  const rows = await git.ask(["for-each-ref", "--format=%(refname) %(objectname)"]);
  const here = new Map(rows.split("\n").map((row) => row.split(" ") as [string, string]));
  const changed = refs.filter(([ref, commit]) => here.get(local(ref)) !== commit);
  if (changed.length === 0) return;
  const wanted =
    changed.length > MANY
      ? [...new Set(changed.map(([ref]) => ref.replace(/[^/]+$/, "*")))]
      : changed.map(([ref]) => ref);
  const refspecs = wanted.map((ref) => `+${ref}:${local(ref)}`);
  let fetched = await fetchRefs(git, name, refspecs);
  // A worker may be writing the same refs.
  if (gitFailure(fetched) === "locked") fetched = await fetchRefs(git, name, refspecs);
  if (!fetched.isOk) throw gitError(`${name} could not be fetched: ${reasonIn(fetched.stderr)}`);
}

/** A snapshot that other commits followed is older than the branch. */
async function newestFiles(
  repository: Repository,
  there: ReadonlyMap<string, string>,
  { storyId, machine, branch }: { storyId: string; machine: string; branch: string },
): Promise<string> {
  const snapshots = [...there]
    .filter(([ref]) => ref.startsWith(`${KEEP}${storyId}/`))
    .flatMap(([ref, commit]) => snapshotOf(ref, commit) ?? []);
  const newest = newestShared(snapshots);
  if (newest?.machine !== machine) return branch;
  await fetchChanged(repository, [[newest.ref, newest.commit]]);
  const parent = await commitOf(repository.git, `${newest.commit}^1`);
  return parent === branch ? newest.commit : branch;
}

const FILE = /^(?:[a-z0-9]+(?:-[a-z0-9]+)*\.json|journal\.md)$/;
/** Larger than any file of a story. */
const MAX_BYTES = 1_000_000;

/** The texts of a story's files in a commit, by name. Other things that a branch has in that folder are left out. */
export async function storyFilesIn(
  { git }: Repository,
  commit: string,
  storyId: string,
): Promise<ReadonlyMap<string, string>> {
  const folder = `.saga/stories/${storyId}/`;
  const listed = await git.ask(["ls-tree", "-z", commit, "--", folder]);
  const files = listed.split("\0").flatMap((row) => {
    const [, mode, id = "", path = ""] = /^(\d+) blob (\w+)\t(.+)$/s.exec(row) ?? [];
    const name = path.slice(folder.length);
    return mode === "100644" && FILE.test(name) ? [{ name, id }] : [];
  });
  const blobs = await readObjects(
    git,
    files.map(({ id }) => id),
  );
  return new Map(
    files.flatMap(({ name }, at) => {
      const blob = blobs[at];
      return blob && blob.bytes <= MAX_BYTES ? [[name, blob.content.toString()] as const] : [];
    }),
  );
}
