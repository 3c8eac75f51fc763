// What to say when a merge waits for a checkout of its target: the same words in the terminal and on the page. Pure.

export interface BlockingCheckout {
  /** What is merged: a story or an epic. */
  readonly id: string;
  /** The target branch, and where it is checked out. */
  readonly into: string;
  readonly folder: string;
  readonly why: string;
  /** Only the permission to update it is missing. */
  readonly isUpdatable: boolean;
  /** Files with uncommitted changes there. */
  readonly files: readonly string[];
  /** Whether its checks were run on top of the target. */
  readonly isVerified: boolean;
}

export interface CheckoutAdvice {
  readonly message: string;
  /** What to do, as a line that the command follows. */
  readonly toDo: string;
  readonly command: string;
  /** How to be asked no more, where that helps. */
  readonly always: string | undefined;
}

export function checkoutAdvice(found: BlockingCheckout): CheckoutAdvice {
  const { id, into, folder, why, isUpdatable, files, isVerified } = found;
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

/** For where there is one line for all of it. */
export const adviceHint = ({ toDo, command, always }: CheckoutAdvice): string =>
  [`${toDo} \`${command}\``, ...(always === undefined ? [] : [always])].join(". ");

/** Asked before anything is begun; the page asks the same. */
export const checkoutQuestion = ({
  id,
  into,
  folder,
}: Pick<BlockingCheckout, "id" | "into" | "folder">): string =>
  `${into} is checked out in ${folder}. Merge ${id} and update that checkout?`;

/** Before the run of an epic that merges its stories. */
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
