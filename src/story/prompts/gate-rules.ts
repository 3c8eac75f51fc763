// The rules of the gate, as text for agents. Every rule has a text, so that no agent is judged by a rule that it does
// not know. Pure.

import type { SizeCeiling } from "../definition/validate.ts";
import { count } from "../../text/plural.ts";
import type { GateRule } from "../receipts/receipt.ts";
import type { Settings } from "../settings/settings.ts";

export interface GateFacts {
  readonly limits: Settings["gate"];
  /** Commands that must pass for all of the work. */
  readonly checks: readonly string[];
  /** Globs of the files that may change. Without them, all except protected files may. */
  readonly writeFiles?: readonly string[] | undefined;
  /** Lists of globs; one of them must also allow a file. */
  readonly bounds?: readonly (readonly string[])[] | undefined;
  /** Undefined for a task of the pool. */
  readonly storyId?: string | undefined;
  readonly needsTesting?: boolean | undefined;
  readonly needsReview?: boolean | undefined;
  /** The maximum size of a task, when it is watched. */
  readonly ceiling?: SizeCeiling | undefined;
}

/** In the order of the prompt. A rule without a text does not compile. */
const RULE_TEXTS: Readonly<Record<GateRule, (facts: GateFacts) => string | undefined>> = {
  check: ({ checks, limits }) =>
    checks.length === 0
      ? undefined
      : `Checks: these commands must pass on a clean checkout of the committed work, each within ${count(limits.checkMinutes, "minute")}: ${quoted(checks)}.`,
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
    "Symbolic links: relative, to a path inside the repository, without `..` after a folder's name.",
  submodule: () => "Submodules: add none.",
  secret: ({ limits }) =>
    limits.secrets
      ? "Secrets: no keys, tokens or passwords in any file or commit, not even for a moment: a commit keeps them. Use a placeholder. Text files that are too large to be searched for them are refused too."
      : undefined,
  test: ({ needsTesting }) =>
    needsTesting
      ? "Tester: when the checks have passed, a tester tries the finished work, and you fix what they find."
      : undefined,
  review: ({ needsReview }) =>
    needsReview
      ? "Reviewer: when the checks have passed, a reviewer reads the whole change, and you fix what they find."
      : undefined,
};

/** All rules, as a part of a prompt. */
export const gateRules = (facts: GateFacts): string =>
  [
    "The rules that your work must follow before it counts:",
    ...lines(facts, Object.keys(RULE_TEXTS)),
  ].join("\n");

/** The given rules, for an agent that fixes what broke them. */
export const brokenRules = (facts: GateFacts, rules: ReadonlySet<string>): string | undefined => {
  const broken = lines(
    facts,
    Object.keys(RULE_TEXTS).filter((rule) => rules.has(rule)),
  );
  return broken.length === 0 ? undefined : ["The rules for it:", ...broken].join("\n");
};

const lines = (facts: GateFacts, rules: readonly string[]): string[] =>
  rules.flatMap((rule) => {
    const text = RULE_TEXTS[rule as GateRule](facts);
    return text === undefined ? [] : [`- ${text}`];
  });

const quoted = (texts: readonly string[]): string =>
  texts.length === 0 ? "nothing" : texts.map((text) => `\`${text}\``).join(", ");

/** Files that tasks declare later only count within the files declared at the start. */
function within(writeFiles: readonly string[], bounds: GateFacts["bounds"]): string {
  if (bounds === undefined) return "";
  const globs = [...new Set(bounds.flat())];
  return writeFiles.every((glob) => globs.includes(glob))
    ? ""
    : `, and only those that also match ${quoted(globs)}`;
}
