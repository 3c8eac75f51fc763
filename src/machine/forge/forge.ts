// Where pull requests live: GitHub, or records on this machine. One small interface for both, with the
// same life cycle: draft, ready (and back), then merged or closed for good. A closed one is never opened again;
// whoever goes on with its branch gets a new one.

export interface PullRequest {
  /** Its web address, or `local/<number>`. */
  readonly ref: string;
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly isDraft: boolean;
  readonly state: "open" | "merged" | "closed";
  /** The branch with the work. */
  readonly head: string;
  /** The branch it is to be merged into. */
  readonly base: string;
}

export interface NewPullRequest {
  readonly head: string;
  readonly base: string;
  readonly title: string;
  readonly body: string;
}

export interface PullRequestText {
  readonly title?: string | undefined;
  readonly body?: string | undefined;
}

/** Every call may be repeated, also when the last one was cut off in the middle. */
export interface Forge {
  readonly kind: "github" | "local";
  /** The open one of a branch, else the newest of it. */
  readonly find: (head: string) => Promise<PullRequest | undefined>;
  /** The open one of that branch as it is, or a new one: there is never a second open one. */
  readonly openDraft: (wanted: NewPullRequest) => Promise<PullRequest>;
  readonly update: (number: number, change: PullRequestText) => Promise<PullRequest>;
  readonly markReady: (number: number) => Promise<PullRequest>;
  /** There is work on it again. Where drafts are not to be had, it stays as it is. */
  readonly markDraft: (number: number) => Promise<PullRequest>;
  /** Without a merge. One that is merged stays merged. */
  readonly close: (number: number) => Promise<PullRequest>;
  /**
   * Records that its branch went into the base with that commit. GitHub notices by itself, soon after
   * the push: there this only looks, and may still find it open.
   */
  readonly markMerged: (number: number, commit: string) => Promise<PullRequest>;
  readonly view: (number: number) => Promise<PullRequest | undefined>;
}

/** Of all the pull requests of one branch, the one that counts. */
export function currentOf<T extends PullRequest>(pulls: readonly T[]): T | undefined {
  const newestFirst = pulls.toSorted((one, other) => other.number - one.number);
  return newestFirst.find(({ state }) => state === "open") ?? newestFirst[0];
}
