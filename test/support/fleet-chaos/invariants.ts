// What must hold in a fleet, whatever happened: read from what the remote accepted, not from what members say.

import { factsIn } from "../../../src/repo/sharing/note-ref.ts";
import type { RefMove } from "./push-log.ts";

type RemoteGit = (...args: string[]) => string;

interface RemoteFacts {
  readonly pushes: readonly (readonly RefMove[])[];
  readonly remoteGit: RemoteGit;
  readonly stories: readonly string[];
  readonly tasks: readonly string[];
}

const NONE = /^0+$/;

/** Sentences about what does not hold. */
export function violations(facts: RemoteFacts): string[] {
  return [...ownerViolations(facts), ...pushViolations(facts), ...lossViolations(facts)];
}

/** One owner at a time: the moves of a lease ref are one chain, fences never fall, and each fence has one machine. */
function ownerViolations({ pushes, remoteGit, stories }: RemoteFacts): string[] {
  return stories.flatMap((story) => {
    const moves = movesOf(pushes, `refs/saga/lease/${story}`);
    const found: string[] = [];
    const machines = new Map<number, string>();
    let last = 0;
    // The remote's hook writes one push after the other; the ref may be deleted, and made again.
    for (const at of chainOf(moves)) {
      const { Fence = "0", Machine = "" } = factsIn(remoteGit("log", "-1", "--format=%B", at));
      const fence = Number(Fence);
      if (fence < last) found.push(`${story}: fence ${fence} of ${Machine} came after ${last}`);
      if ((machines.get(fence) ?? Machine) !== Machine)
        found.push(`${story}: fence ${fence} has two owners`);
      machines.set(fence, Machine);
      last = fence;
    }
    return found;
  });
}

/** Where a ref was moved to, in its order. Throws unless its moves are one chain; it may be deleted and created again. */
function chainOf(moves: readonly RefMove[]): string[] {
  const left = [...moves];
  const chain: string[] = [];
  // Two pushes at once may be written in the other order, but a place is left only once.
  for (let at = NONE_ID(moves); left.length > 0;) {
    const index = left.findIndex(({ from }) => from === at);
    if (index < 0) throw new Error(`No move from ${at}: ${JSON.stringify(moves)}`);
    const [move] = left.splice(index, 1);
    at = move?.to ?? at;
    if (!NONE.test(at)) chain.push(at);
  }
  return chain;
}

const NONE_ID = (moves: readonly RefMove[]): string => "0".repeat(moves[0]?.to.length ?? 40);

/** No push by a stale owner: a story's branch and snapshots only move, or go, together with its lease ref. */
function pushViolations({ pushes, stories }: RemoteFacts): string[] {
  return stories.flatMap((story) => {
    const isOfStory = ({ ref }: RefMove): boolean =>
      ref === `refs/heads/story/${story}` || ref.startsWith(`refs/saga/keep/${story}/`);
    return pushes
      .filter((push) => push.some(isOfStory))
      .filter((push) => !push.some(({ ref }) => ref === `refs/saga/lease/${story}`))
      .map(
        (push) => `${story}: pushed without its lease: ${push.map(({ ref }) => ref).join(", ")}`,
      );
  });
}

const TASKS = "--format=%(trailers:key=Saga-Task,valueonly,separator=%x2C)";

/** Each task is merged once, whatever was pushed of it is merged, and every pushed snapshot is still there. */
function lossViolations({ pushes, remoteGit, stories, tasks }: RemoteFacts): string[] {
  const tasksIn = (...range: string[]): string[] =>
    remoteGit("log", TASKS, ...range)
      .split("\n")
      .filter(Boolean);
  const merged = tasksIn("main");
  const unlike = tasks
    .map((task) => [task, merged.filter((one) => one === task).length] as const)
    .filter(([, times]) => times !== 1)
    .map(([task, times]) => `${task} was merged ${times} times`);
  const pushed = stories.flatMap((story) => movesOf(pushes, `refs/heads/story/${story}`));
  const lost = pushed
    .filter(({ to }) => !NONE.test(to))
    .flatMap(({ to }) => tasksIn(to))
    .filter((task) => !merged.includes(task))
    .map((task) => `${task} was pushed, and is lost`);
  const snapshots = pushes
    .flat()
    .filter(({ ref, to }) => ref.startsWith("refs/saga/keep/") && !NONE.test(to));
  const gone = snapshots
    .filter(({ to }) => !isThere(remoteGit, to))
    .map(({ ref }) => `${ref} is lost`);
  return [...unlike, ...new Set(lost), ...gone];
}

const movesOf = (pushes: RemoteFacts["pushes"], ref: string): RefMove[] =>
  pushes.flat().filter((move) => move.ref === ref);

function isThere(remoteGit: RemoteGit, commit: string): boolean {
  try {
    remoteGit("cat-file", "-e", `${commit}^{commit}`);
    return true;
  } catch {
    return false;
  }
}
