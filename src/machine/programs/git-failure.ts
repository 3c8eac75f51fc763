// The only place that reads why git failed from its error output. Git runs with LC_ALL=C, so its words are the same
// everywhere; the rest of Saga decides by these kinds.

export type GitFailure =
  /** Another process holds the lock of a ref or of the index. */
  | "locked"
  /** The remote does not have the ref. */
  | "missing-ref"
  | "not-a-repository"
  | "unrelated-histories";

const SIGNS: readonly (readonly [GitFailure, RegExp])[] = [
  ["missing-ref", /couldn't find remote ref|remote ref does not exist/],
  ["not-a-repository", /not a git repository/],
  ["unrelated-histories", /unrelated histories/],
  ["locked", /lock/],
];

/** Undefined for all other failures, and when git succeeded. */
export const gitFailure = ({
  isOk,
  stderr,
}: {
  readonly isOk: boolean;
  readonly stderr: string;
}): GitFailure | undefined => (isOk ? undefined : SIGNS.find(([, sign]) => sign.test(stderr))?.[0]);

/** What git says about single files, if it could do the rest. Undefined if the whole command failed. */
export function fileComplaints(stderr: string): readonly string[] | undefined {
  const complaints = stderr.split("\n").filter((line) => line.startsWith("error: "));
  if (complaints.length === 0 || /^fatal: /m.test(stderr)) return undefined;
  return complaints.map((line) => line.slice("error: ".length));
}
