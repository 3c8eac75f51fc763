// Small questions about commits and refs.

import { answerOf, type Git } from "../machine/programs/git.ts";

/** Of one commit to another. `apart`: neither contains the other, as far as this clone knows. */
export type Relation = "same" | "behind" | "ahead" | "apart";

export async function commitOf(git: Git, name: string): Promise<string | undefined> {
  const found = await answerOf(git, ["rev-parse", "--quiet", "--verify", `${name}^{commit}`]);
  return found.isOk ? found.stdout : undefined;
}

/** Not known is no: what a shallow clone left out proves nothing. */
export const isAncestor = async (git: Git, older: string, newer: string): Promise<boolean> =>
  older === newer || (await answerOf(git, ["merge-base", "--is-ancestor", older, newer])).isOk;

export async function relationOf(git: Git, one: string, other: string): Promise<Relation> {
  if (one === other) return "same";
  if (await isAncestor(git, one, other)) return "behind";
  return (await isAncestor(git, other, one)) ? "ahead" : "apart";
}

/** Creates, or moves from where it is known to be: never from anywhere else. */
export const moveRef = (
  git: Git,
  move: { readonly ref: string; readonly to: string; readonly from: string | undefined },
) =>
  git.attempt([
    ...PATIENT,
    "update-ref",
    "-m",
    "saga",
    move.ref,
    move.to,
    // Zeros: it must not be there.
    move.from ?? "0".repeat(move.to.length),
  ]);

/** Only from where it is known to be. */
export const deleteRef = (git: Git, ref: string, from: string) =>
  git.attempt([...PATIENT, "update-ref", "-d", ref, from]);

/** Another git holds the lock of a ref for a moment; the usual wait is a tenth of a second. */
const PATIENT = ["core.filesRefLockTimeout=5000", "core.packedRefsTimeout=5000"].flatMap((one) => [
  "-c",
  one,
]);

/** Whether everything on a branch has arrived in another. */
export const isMerged = (git: Git, branch: string, base: string): Promise<boolean> =>
  isAncestor(git, branch, base);
