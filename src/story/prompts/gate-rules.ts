// The rules of the gate in an agent's words. Each rule has its own, so that no agent is judged by a rule
// that it was not told. Pure.

import type { SizeCeiling } from "../definition/validate.ts";
import { count } from "../../text/plural.ts";
import type { GateRule } from "../receipts/receipt.ts";
import type { Settings } from "../settings/settings.ts";

/** Everything that the rules depend on. */
export interface GateFacts {
  readonly limits: Settings["gate"];
  /** Commands that must pass for all of the work. */
  readonly checks: readonly string[];
  /** Globs of the files that may change; without them, all but the protected ones may. */
  readonly writeFiles?: readonly string[] | undefined;
  /** Lists of globs, one of which must allow a file as well. */
  readonly bounds?: readonly (readonly string[])[] | undefined;
  /** The story that is judged; a task of the pool belongs to none. */
  readonly storyId?: string | undefined;
  readonly needsTesting?: boolean | undefined;
  readonly needsReview?: boolean | undefined;
  /** For each task, when its size is watched. */
  readonly ceiling?: SizeCeiling | undefined;
}

/** In the order in which they are told. A rule without words here does not compile. */
const RULE_TEXTS: Readonly<Record<GateRule, (facts: GateFacts) => string | undefined>> = {
  check: ({ checks, limits }) =>
    checks.length === 0
      ? undefined
      : `Checks: these commands must pass on a clean checkout of what is committed, each within ${count(limits.checkMinutes, "minute")}: ${quoted(checks)}.`,
  undeclared: ({ bounds, writeFiles = bounds?.flat() }) =>
    writeFiles === undefined
      ? undefined
      : `Allowed files: you may only change files that match ${quoted(writeFiles)}${within(writeFiles, bounds)}. Work that needs another file is a question for a person (report_blocker).`,
  protected: ({ limits }) =>
    limits.protected.length === 0
      ? undefined
      : `Protected files: never change, add or delete files that match ${quoted(limits.protected)}.`,
  saga: () => "Saga's files: change nothing below `.saga`. Status and journal are written for you.",
  definition: ({ storyId }) =>
    storyId === undefined
      ? undefined
      : `Definition: the checks, allowed files and reviews of this story (\`.saga/stories/${storyId}\`) are decided by people. Do not remove or weaken any of them.`,
  size: ({ limits, ceiling, storyId }) =>
    [
      `Size: ${storyId === undefined ? "the work" : "the whole story"} changes at most ${count(limits.maxFiles, "file")} and ${count(limits.maxLines, "line")} (lock files do not count as lines).`,
      ceiling &&
        `Each task changes at most ${count(ceiling.maxFiles, "file")} and ${count(ceiling.maxLines, "line")}; past that it is stopped and split.`,
    ]
      .filter(Boolean)
      .join(" "),
  deletions: ({ limits }) =>
    `Deletions: delete at most ${count(limits.maxDeletedFiles, "file")}, and at most ${limits.maxDeletedPercent} % of all files.`,
  binary: ({ limits }) => `Binary files: together at most ${limits.maxBinaryKb} kB.`,
  symlink: () =>
    "Symbolic links: relative, to a place inside the repository, and not through `..` behind a folder's name.",
  submodule: () => "Submodules: add none.",
  secret: ({ limits }) =>
    limits.secrets
      ? "Secrets: no keys, tokens or passwords in any file or commit, not even for a moment: a commit keeps them. Use a placeholder. Text files that are too large to be searched for them are refused too."
      : undefined,
  test: ({ needsTesting }) =>
    needsTesting
      ? "Tester: when the checks have passed, a tester tries the finished work, and what they find has to be fixed."
      : undefined,
  review: ({ needsReview }) =>
    needsReview
      ? "Reviewer: when the checks have passed, a reviewer reads the whole change, and what they find has to be fixed."
      : undefined,
};

/** All of them, as a part of a prompt. */
export const gateRules = (facts: GateFacts): string =>
  ["What your work is judged by, before it counts:", ...lines(facts, Object.keys(RULE_TEXTS))].join(
    "\n",
  );

/** Those that were broken, for the agent that has to keep them now. */
export const brokenRules = (facts: GateFacts, rules: ReadonlySet<string>): string | undefined => {
  const told = lines(
    facts,
    Object.keys(RULE_TEXTS).filter((rule) => rules.has(rule)),
  );
  return told.length === 0 ? undefined : ["The rules for it:", ...told].join("\n");
};

const lines = (facts: GateFacts, rules: readonly string[]): string[] =>
  rules.flatMap((rule) => {
    const words = RULE_TEXTS[rule as GateRule](facts);
    return words === undefined ? [] : [`- ${words}`];
  });

const quoted = (texts: readonly string[]): string =>
  texts.length === 0 ? "nothing" : texts.map((text) => `\`${text}\``).join(", ");

/** What tasks declared later only counts within what was declared at the beginning. */
function within(writeFiles: readonly string[], bounds: GateFacts["bounds"]): string {
  if (bounds === undefined) return "";
  const globs = [...new Set(bounds.flat())];
  return writeFiles.every((glob) => globs.includes(glob))
    ? ""
    : `, and of those only what also matches ${quoted(globs)}`;
}
