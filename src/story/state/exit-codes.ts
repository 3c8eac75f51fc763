// How every command of Saga ends. Each number means one thing, in every command: scripts decide by it.

export const EXIT = {
  done: 0,
  error: 1,
  limit: 2,
  question: 3,
  notMerged: 4,
  pushFailed: 5,
  /** As `sysexits.h` has it, so that no other outcome shares it. */
  usage: 64,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** For the documentation. */
export const EXIT_MEANINGS: Readonly<Record<ExitCode, string>> = {
  0: "done",
  1: "error: it was refused, has failed or was stopped; the message says why",
  2: "limit: cycles, time, cost or usage",
  3: "question: a person has to answer first",
  4: "verified, and not merged",
  5: "done, and a push failed: `saga push <story>` tries again",
  64: "wrong usage: an unknown command or option, or an argument that is missing",
};
