// Advice for a merge that is blocked by a checkout of its target, for the terminal and the page. Pure.

export interface BlockingCheckout {
  /** The story or epic to merge. */
  readonly id: string;
  /** The target branch. */
  readonly into: string;
  /** Where it is checked out. */
  readonly folder: string;
  readonly why: string;
  /** Only the permission to update it is missing. */
  readonly isUpdatable: boolean;
  /** Files with uncommitted changes there. */
  readonly files: readonly string[];
  /** Its checks passed on top of the target. */
  readonly isVerified: boolean;
}

export interface CheckoutAdvice {
  readonly message: string;
  /** The line before the command. */
  readonly toDo: string;
  readonly command: string;
  /** How to allow it for every merge. */
  readonly always: string | undefined;
}

export function checkoutAdvice(checkout: BlockingCheckout): CheckoutAdvice {
  const { id, into, folder, why, isUpdatable, files, isVerified } = checkout;
  const fact = isVerified ? "passed its checks but was not merged" : "was not merged";
  const reason = isUpdatable ? "" : ` ${why}`;
  return {
    message: `${id} ${fact}: ${into} is checked out in ${folder}.${reason}`,
    toDo: isUpdatable
      ? "Merge and update that checkout:"
      : files.length > 0
        ? `Commit or stash the changes in ${folder}, then run:`
        : "When that is resolved, run:",
    command: `saga merge ${id} --update-checkout`,
    always: isUpdatable
      ? "To always update it: `saga config set delivery.update_checkout true`"
      : undefined,
  };
}

/** All of it in one line. */
export const adviceHint = ({ toDo, command, always }: CheckoutAdvice): string =>
  [`${toDo} \`${command}\``, ...(always === undefined ? [] : [always])].join(". ");

/** Asked before the merge starts, in the terminal and on the page. */
export const checkoutQuestion = ({
  id,
  into,
  folder,
}: Pick<BlockingCheckout, "id" | "into" | "folder">): string =>
  `${into} is checked out in ${folder}. Merge ${id} and update that checkout?`;

/** Shown before a run of an epic that merges its stories. */
export function epicRunAdvice(
  { id, into, folder, why, isUpdatable, files }: Omit<BlockingCheckout, "isVerified">,
  isUpdated: boolean,
): string {
  if (isUpdatable && isUpdated) {
    return `Stories that pass are merged into ${into}, and its checkout in ${folder} is updated.`;
  }
  const fact = `Stories that pass are not merged: ${into} is checked out in ${folder}.`;
  if (isUpdatable) {
    return `${fact} To merge them and update that checkout: \`saga epic run ${id} --merge --update-checkout\``;
  }
  const toDo =
    files.length > 0
      ? "Commit or stash the changes there to have them merged."
      : "Resolve that to have them merged.";
  return `${fact} ${why} ${toDo}`;
}

export const epicRunQuestion = ({
  id,
  into,
  folder,
}: Pick<BlockingCheckout, "id" | "into" | "folder">): string =>
  `${into} is checked out in ${folder}. Merge the stories of ${id} and update that checkout each time?`;

/** The command that asked; `epic-branch-run` always merges, into the epic's own branch. */
export type AskingCommand = "merge" | "accept" | "epic-run" | "epic-branch-run";

/** After a no to the question: the command ends before it does anything. */
export function declinedAdvice(
  command: AskingCommand,
  id: string,
): { readonly message: string; readonly hint: string } {
  switch (command) {
    case "merge":
      return {
        message: `${id} was not merged; nothing was changed.`,
        hint: `Merge it and update that checkout: \`saga merge ${id} --update-checkout\``,
      };
    case "accept":
      return {
        message: `${id} was neither accepted nor merged; nothing was changed.`,
        hint: "To accept it without merging it, leave out `--merge`.",
      };
    case "epic-run":
      return {
        message: `${id} was not started; nothing was changed.`,
        hint: "To run its stories without merging them, leave out `--merge`.",
      };
    case "epic-branch-run":
      return {
        message: `${id} was not started; nothing was changed.`,
        hint: `To run its stories without merging them: \`saga epic run ${id} --no-update-checkout\``,
      };
  }
}
