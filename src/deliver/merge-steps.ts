import type { MergeStyle } from "../repo/delivery/combine.ts";
import type { DeliveryStep } from "../repo/delivery/deliver.ts";

/** Progress for a waiting person. */
export function stepText(
  { name, round }: DeliveryStep,
  { branch, style }: { readonly branch: string; readonly style: MergeStyle },
): string {
  const text = {
    read: `reading ${branch}`,
    combine: style === "rebase" ? `rebasing onto ${branch}` : `merging with ${branch}`,
    verify: "running the checks on the result",
    record: "recording the merge",
    advance: `updating ${branch}`,
  }[name];
  return round === 1 ? text : `${text} again`;
}
