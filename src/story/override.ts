// Which rules of the gate a person sets aside for a story's code, and what is left of an earlier word. Pure.

import type { Receipt, Rule } from "./receipt.ts";
import type { Objection } from "./standing.ts";

type Overridden = NonNullable<Receipt["overridden"]>;

export interface Wish {
  readonly rules: readonly Rule[];
  readonly why: string | undefined;
  readonly who: string;
}

export interface Override {
  /** What stays in the way. */
  readonly open: readonly Objection[];
  /** By this word, and by the one before. */
  readonly setAside: readonly Objection[];
  /** Rules that were named, and by which nothing objects. */
  readonly unused: readonly Rule[];
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
  const before: ReadonlySet<string> = new Set(earlier?.rules);
  const now = objections.filter(({ rule }) => wished.has(rule));
  const why = wish.why?.trim() ?? "";
  return {
    open: objections.filter(({ rule }) => !wished.has(rule) && !before.has(rule)),
    setAside: objections.filter(({ rule }) => wished.has(rule) || before.has(rule)),
    unused: [...new Set(wish.rules)].filter((rule) => !now.some((one) => one.rule === rule)),
    isReasonMissing: now.length > 0 && why === "",
    overridden: together(
      earlier,
      now.length === 0 ? undefined : { rules: now.map(({ rule }) => rule), why, who: wish.who },
    ),
  };
}

function together(
  one: Overridden | undefined,
  other: Overridden | undefined,
): Overridden | undefined {
  if (!one || !other) {
    const only = one ?? other;
    return only && { ...only, rules: [...new Set(only.rules)] };
  }
  const each = (name: "why" | "who"): string[] => [...new Set([one[name], other[name]])];
  return {
    rules: [...new Set([...one.rules, ...other.rules])],
    why: each("why").join(" "),
    who: each("who").join(", "),
  };
}
