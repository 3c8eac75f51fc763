// The exit codes of every command. Each number has one meaning in all commands, because scripts depend on it.

export const EXIT = {
  done: 0,
  error: 1,
  limit: 2,
  question: 3,
  notMerged: 4,
  pushFailed: 5,
  /** From `sysexits.h`, to keep it apart from outcomes. */
  usage: 64,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** For the documentation. */
export const EXIT_MEANINGS: Readonly<Record<ExitCode, string>> = {
  0: "done",
  1: "error: refused, failed or stopped; the message gives the reason",
  2: "limit: agent runs, time, cost or usage",
  3: "question: a person must answer first",
  4: "verified, but not merged",
  5: "done, but a push failed: `saga push <story>` retries it",
  64: "wrong usage: an unknown command or option, or a missing argument",
};
