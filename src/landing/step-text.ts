import type { LandStep } from "../repo/delivery/land.ts";

/** Progress for a waiting person. */
export function stepText(
  { name, round }: LandStep,
  { branch }: { readonly branch: string },
): string {
  const text = {
    read: `reading ${branch}`,
    combine: `combining with ${branch}`,
    verify: "running the checks on the result",
    record: "recording the merge",
    advance: `updating ${branch}`,
  }[name];
  return round === 1 ? text : `${text} again`;
}
