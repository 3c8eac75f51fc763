// Pull requests on GitHub or as records on this machine, behind one interface with one life cycle: draft, ready (and
// back), then merged or closed for good. A closed one is never reopened; its branch gets a new one.

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
  /** The branch to merge into. */
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

/** Every call may be repeated, also after one that was interrupted. */
export interface Forge {
  readonly kind: "github" | "local";
  /** The open pull request of a branch, else its newest. */
  readonly find: (head: string) => Promise<PullRequest | undefined>;
  /** The branch's open pull request unchanged, or a new draft: a branch never has two open ones. */
  readonly openDraft: (wanted: NewPullRequest) => Promise<PullRequest>;
  readonly update: (number: number, change: PullRequestText) => Promise<PullRequest>;
  readonly markReady: (number: number) => Promise<PullRequest>;
  /** For new work on it. Does nothing where drafts are not supported. */
  readonly markDraft: (number: number) => Promise<PullRequest>;
  /** Without a merge. A merged one stays merged. */
  readonly close: (number: number) => Promise<PullRequest>;
  /**
   * Records that its branch was merged with that commit. GitHub detects that itself soon after the push: there this only
   * reads the pull request, which may still be open.
   */
  readonly markMerged: (number: number, commit: string) => Promise<PullRequest>;
  readonly view: (number: number) => Promise<PullRequest | undefined>;
}

/** Of all pull requests of one branch, the one that counts. */
export function currentOf<T extends PullRequest>(pulls: readonly T[]): T | undefined {
  const newestFirst = pulls.toSorted((one, other) => other.number - one.number);
  return newestFirst.find(({ state }) => state === "open") ?? newestFirst[0];
}
