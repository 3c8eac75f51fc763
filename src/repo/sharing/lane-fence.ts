// The lander of a lane that the machines of a fleet share, as git knows it: `refs/saga/lane/<lane>` at the remote. Each lander
// moves it when it begins, and each push of the target moves it along, all or nothing, together with the refs of the owners
// of the stories that land. So a lander that slept through its lease moves no target, whatever it believes, and nothing
// lands of a story that another machine has taken over.
//
// The ref also says what the last push of the target brought. A lander that is killed before it has told anyone leaves
// it to the next one.

import { randomUUID } from "node:crypto";
import { SagaError } from "../../errors.ts";
import type { GitResult } from "../../machine/programs/git.ts";
import { landedSchema, type Landed } from "../../story/landing/landed.ts";
import { idProblem } from "../../story/definition/names.ts";
import { pushCommit, readRemoteRefs } from "../remote-branch.ts";
import { reasonIn, type Repository } from "../repository.ts";
import { readNote, writeNote, type Facts } from "./note-ref.ts";

/** `laneId`: valid as the name of a ref. */
export const laneRef = (laneId: string): string => `refs/saga/lane/${laneId}`;

export interface StoryLanding extends Landed {
  readonly storyId: string;
}

/** A ref that must still be at a commit, and carries new facts afterwards. */
export interface GuardedRef {
  readonly ref: string;
  readonly from: string;
  readonly facts: Facts;
}

export interface TargetPush {
  readonly refspec: string;
  /** `<ref>:<commit>`, see `pushCommit`. */
  readonly lease: string | undefined;
  readonly owners: readonly GuardedRef[];
  readonly landed: readonly StoryLanding[];
  readonly stop?: AbortSignal | undefined;
}

export interface LaneFence {
  /** Locks earlier landers out. Returns what the last of them brought into the target. Throws if a later one is there. */
  readonly take: (stop?: AbortSignal) => Promise<readonly StoryLanding[]>;
  /** `isOutdated`: another lander has the lane. Nothing was moved. */
  readonly push: (push: TargetPush) => Promise<GitResult & { readonly isOutdated: boolean }>;
}

interface Lander {
  readonly laneId: string;
  readonly machine: string;
}

export function newLaneFence(repository: Repository, { laneId, machine }: Lander): LaneFence {
  const { git } = repository;
  const ref = laneRef(laneId);
  let current: string | undefined;
  /** Every commit that this lander tried to move the ref to: the answer to a push may be lost. */
  const own = new Set<string>();
  const write = async (landed: readonly StoryLanding[]): Promise<string> => {
    const facts = { Machine: machine, Push: randomUUID(), ...landedFacts(landed) };
    const note = await writeNote(git, `lane: ${laneId}`, facts);
    own.add(note);
    return note;
  };
  const move = async ({
    refspec,
    lease,
    owners,
    landed,
    stop,
  }: Omit<TargetPush, "refspec"> & { readonly refspec?: string }): Promise<
    GitResult & { readonly isOutdated: boolean }
  > => {
    const note = await write(landed);
    const guarded = await Promise.all(
      owners.map(async (owner) => ({ ...owner, to: await writeNote(git, "lease", owner.facts) })),
    );
    const refspecs = [
      `${note}:${ref}`,
      ...guarded.map((owner) => `${owner.to}:${owner.ref}`),
      ...(refspec === undefined ? [] : [refspec]),
    ];
    const pushed = await pushCommit(git, requireRemote(repository), refspecs, {
      stop,
      leases: [
        `${ref}:${current ?? ""}`,
        ...guarded.map((owner) => `${owner.ref}:${owner.from}`),
        ...(lease === undefined ? [] : [lease]),
      ],
      isAtomic: true,
    });
    if (pushed.isOk) {
      current = note;
      return { ...pushed, isOutdated: false };
    }
    const there = await readRemoteRefs(repository, [ref]).catch(() => undefined);
    const found = there?.get(ref);
    if (there === undefined || found === current) return { ...pushed, isOutdated: false };
    if (found === undefined || !own.has(found)) return { ...pushed, isOutdated: true };
    // It arrived, and the answer was lost.
    current = found;
    return { ...pushed, isOk: found === note, isOutdated: false };
  };
  return {
    async take(stop) {
      current = (await readRemoteRefs(repository, [ref], stop)).get(ref);
      const last = current === undefined ? [] : landedIn(await readNote(repository, ref, current));
      const moved = await move({ lease: undefined, owners: [], landed: last, stop });
      if (moved.isOk) return last;
      throw new SagaError(
        "program-failed",
        moved.isOutdated
          ? "Another machine merges into this branch now."
          : `Could not record at ${requireRemote(repository).name} that this machine merges: ${reasonIn(moved.stderr)}`,
        { hint: "Nothing was changed. Try again." },
      );
    },
    push: (push) => move(push),
  };
}

const landedFacts = (landed: readonly StoryLanding[]): Facts =>
  landed.length === 0
    ? {}
    : {
        Landed: landed
          .map(({ storyId, tip, onto, commit }) => [storyId, tip, onto, commit].join(","))
          .join(" "),
      };

/** What no Saga wrote does not count. */
export const landedIn = ({ Landed = "" }: Facts): StoryLanding[] =>
  Landed.split(" ").flatMap((text) => {
    const [storyId = "", tip, onto, commit] = text.split(",");
    const landed = landedSchema.safeParse({ tip, onto, commit }).data;
    return landed && idProblem("story", storyId) === undefined ? [{ storyId, ...landed }] : [];
  });

function requireRemote({ remote }: Repository): NonNullable<Repository["remote"]> {
  if (remote !== undefined) return remote;
  throw new SagaError("not-ready", "A fleet needs a remote, and this repository has none.", {
    hint: "Add one: `git remote add origin <address>`.",
  });
}
