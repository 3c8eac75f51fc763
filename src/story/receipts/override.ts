// What a person overrides for a story's code, together with an earlier override of the same code. Pure. A person names
// a rule, and its current blockers are overridden: later ones were not reviewed.

import { blockerKey, setAsideBy } from "./blocker-key.ts";
import type { Receipt, GateRule } from "./receipt.ts";
import type { MergeBlocker } from "./merge-readiness.ts";

type Overridden = NonNullable<Receipt["overridden"]>;

export interface OverrideRequest {
  readonly rules: readonly GateRule[];
  readonly why: string | undefined;
  readonly who: string;
}

export interface Override {
  /** Blockers that still block the merge. */
  readonly open: readonly MergeBlocker[];
  /** Overridden now or earlier. */
  readonly setAside: readonly MergeBlocker[];
  /** Named rules without a blocker. */
  readonly unused: readonly GateRule[];
  readonly isReasonMissing: boolean;
  /** For the receipt. */
  readonly overridden: Overridden | undefined;
}

/**
 * The blockers are those of the gates alone. An earlier override of the same code stays valid until the story is sent
 * back: accepting it again revokes nothing.
 */
export function overrideBy(
  mergeBlockers: readonly MergeBlocker[],
  request: OverrideRequest,
  decision: Receipt | undefined,
): Override {
  const earlier = decision?.isPassed ? decision.overridden : undefined;
  const requested: ReadonlySet<string> = new Set(request.rules);
  const isSetAsideBefore = setAsideBy(earlier?.objections);
  const now = mergeBlockers.filter(({ rule }) => requested.has(rule));
  const isSetAside = (one: MergeBlocker): boolean =>
    requested.has(one.rule) || isSetAsideBefore(one);
  const why = request.why?.trim() ?? "";
  return {
    open: mergeBlockers.filter((one) => !isSetAside(one)),
    setAside: mergeBlockers.filter(isSetAside),
    unused: [...new Set(request.rules)].filter((rule) => !now.some((one) => one.rule === rule)),
    isReasonMissing: now.length > 0 && why === "",
    overridden: combined(
      [earlier, now.length === 0 ? undefined : overriddenBy(now, why, request.who)].filter(
        (one) => one !== undefined,
      ),
    ),
  };
}

const overriddenBy = (
  mergeBlockers: readonly MergeBlocker[],
  why: string,
  who: string,
): Overridden => ({
  rules: mergeBlockers.map(({ rule }) => rule),
  objections: mergeBlockers.map(blockerKey),
  why,
  who,
});

function combined(overrides: readonly Overridden[]): Overridden | undefined {
  if (overrides.length === 0) return undefined;
  const each = (valuesOf: (one: Overridden) => readonly string[]): string[] => [
    ...new Set(overrides.flatMap(valuesOf)),
  ];
  return {
    rules: each(({ rules }) => rules),
    objections: each(({ objections = [] }) => objections),
    why: each(({ why }) => [why]).join(" "),
    who: each(({ who }) => [who]).join(", "),
  };
}

/** An approval replaces these without naming them: a person has looked at the code. */
export const BY_LOOKING: ReadonlySet<string> = new Set(["test", "review"]);

/** The command that overrides all blockers. `--why` is left for the person to complete. */
export function acceptCommand(storyId: string, mergeBlockers: readonly MergeBlocker[]): string {
  const isNamed = (rule: string): boolean => rule !== "person" && !BY_LOOKING.has(rule);
  const rules = [...new Set(mergeBlockers.map(({ rule }) => rule).filter(isNamed))];
  if (rules.length === 0) return `saga accept ${storyId}`;
  return `saga accept ${storyId} ${rules.map((rule) => `--override ${rule}`).join(" ")} --why "…"`;
}
