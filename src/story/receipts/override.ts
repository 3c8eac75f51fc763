// What a person sets aside for a story's code, and what is left of an earlier word. Pure. A rule is named,
// and all that it objects to at that moment is set aside: what comes later was not looked at.

import { objectionKey, setAsideBy } from "./objection-key.ts";
import type { Receipt, GateRule } from "./receipt.ts";
import type { Objection } from "./merge-readiness.ts";

type Overridden = NonNullable<Receipt["overridden"]>;

export interface Wish {
  readonly rules: readonly GateRule[];
  readonly why: string | undefined;
  readonly who: string;
}

export interface Override {
  /** What stays in the way. */
  readonly open: readonly Objection[];
  /** By this word, and by the one before. */
  readonly setAside: readonly Objection[];
  /** Rules that were named, and by which nothing objects. */
  readonly unused: readonly GateRule[];
  readonly isReasonMissing: boolean;
  /** For the receipt. */
  readonly overridden: Overridden | undefined;
}

/**
 * The objections are those of the gates alone. What was set aside for the same code stays so until it is
 * sent back: whoever accepts a second time takes nothing back by that.
 */
export function overrideBy(
  objections: readonly Objection[],
  wish: Wish,
  word: Receipt | undefined,
): Override {
  const earlier = word?.isPassed ? word.overridden : undefined;
  const wished: ReadonlySet<string> = new Set(wish.rules);
  const isSetAsideBefore = setAsideBy(earlier?.objections);
  const now = objections.filter(({ rule }) => wished.has(rule));
  const isSetAside = (one: Objection): boolean => wished.has(one.rule) || isSetAsideBefore(one);
  const why = wish.why?.trim() ?? "";
  return {
    open: objections.filter((one) => !isSetAside(one)),
    setAside: objections.filter(isSetAside),
    unused: [...new Set(wish.rules)].filter((rule) => !now.some((one) => one.rule === rule)),
    isReasonMissing: now.length > 0 && why === "",
    overridden: together(
      [earlier, now.length === 0 ? undefined : overriddenBy(now, why, wish.who)].filter(
        (one) => one !== undefined,
      ),
    ),
  };
}

const overriddenBy = (objections: readonly Objection[], why: string, who: string): Overridden => ({
  rules: objections.map(({ rule }) => rule),
  objections: objections.map(objectionKey),
  why,
  who,
});

function together(words: readonly Overridden[]): Overridden | undefined {
  if (words.length === 0) return undefined;
  const each = (valuesOf: (word: Overridden) => readonly string[]): string[] => [
    ...new Set(words.flatMap(valuesOf)),
  ];
  return {
    rules: each(({ rules }) => rules),
    objections: each(({ objections = [] }) => objections),
    why: each(({ why }) => [why]).join(" "),
    who: each(({ who }) => [who]).join(", "),
  };
}

/** What a person's word settles by being one: that somebody has looked. */
export const BY_LOOKING: ReadonlySet<string> = new Set(["test", "review"]);

/** The command that sets all of it aside, to be completed with a reason where it needs one. */
export function acceptCommand(storyId: string, objections: readonly Objection[]): string {
  const isNamed = (rule: string): boolean => rule !== "person" && !BY_LOOKING.has(rule);
  const rules = [...new Set(objections.map(({ rule }) => rule).filter(isNamed))];
  if (rules.length === 0) return `saga accept ${storyId}`;
  return `saga accept ${storyId} ${rules.map((rule) => `--override ${rule}`).join(" ")} --why "…"`;
}
