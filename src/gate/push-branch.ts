// Pushes a story's branch. Its commits are searched for secrets first, because a push cannot be taken back. It never
// forces: commits that others pushed to the branch stay.

import type { Context } from "../context.ts";
import { SagaError } from "../errors.ts";
import { codeTree } from "../repo/code-tree.ts";
import { reasonIn, type Base } from "../repo/repository.ts";
import { commitOf } from "../repo/refs.ts";
import { storyStart } from "../repo/story-range.ts";
import { pushCommit } from "../repo/remote-branch.ts";
import type { PushFence } from "../repo/sharing/lease-ref.ts";
import { acceptCommand } from "../story/receipts/override.ts";
import { withoutSecrets, type Finding, type Receipt } from "../story/receipts/receipt.ts";
import { receiptsFor } from "../story/receipts/latest-receipts.ts";
import { mergeReadiness, type MergeBlocker } from "../story/receipts/merge-readiness.ts";
import { findSecretsBetween } from "./diff-gate.ts";

export interface BranchPush extends Pick<Context, "repository" | "settings"> {
  readonly storyId: string;
  readonly branch: string;
  readonly base: Pick<Base, "commit" | "copies">;
  /** The story's receipts: a person may have overridden the finding of a secret. */
  readonly receipts: readonly Receipt[];
  readonly redact: (text: string) => string;
  readonly stop?: AbortSignal | undefined;
  /** In a fleet: refuses the push if another machine owns the story by now. */
  readonly fence?: PushFence | undefined;
}

/** Does nothing without a remote or a branch. Throws with the reason if the push is refused. */
export async function pushBranch(push: BranchPush): Promise<void> {
  // In the project: a remote address like `../notes.git` is relative to it, not to the story's worktree.
  const { git, remote } = push.repository;
  const tip = await commitOf(git, `refs/heads/${push.branch}`);
  if (remote === undefined || tip === undefined) return;
  await requireNoSecrets(push, tip);
  // Only the commits that were searched, not newer ones.
  const what = [`${tip}:refs/heads/${push.branch}`];
  const pushed = push.fence
    ? await push.fence.push(what, push.stop)
    : await pushCommit(git, remote, what, { stop: push.stop });
  if (pushed.isOk) return;
  throw new SagaError(
    "program-failed",
    `${remote.name} rejected ${push.branch}: ${reasonIn(pushed.stderr)}`,
    { hint: `No work was lost. Fix the problem above, then run \`saga push ${push.storyId}\`.` },
  );
}

/** Uncommitted work, for the other machines of a fleet. */
export async function pushSnapshot(
  push: BranchPush,
  { commit, to }: { readonly commit: string; readonly to: string },
): Promise<void> {
  if (push.fence === undefined) return;
  await requireNoSecrets(push, commit);
  const pushed = await push.fence.push([`${commit}:${to}`], push.stop);
  if (pushed.isOk) return;
  throw new SagaError("program-failed", `A snapshot was not pushed: ${reasonIn(pushed.stderr)}`);
}

async function requireNoSecrets(push: BranchPush, tip: string): Promise<void> {
  const { repository, base, settings, branch, storyId, redact } = push;
  const { git } = repository;
  const from = await storyStart(git, { base, tip });
  const findings = await findSecretsBetween({ git, from, to: tip, settings: settings.gate });
  if (findings.length === 0) return;
  const held = receiptsFor(push.receipts, await codeTree(git, tip));
  const first = refusedSecret(findings, held, redact);
  if (first === undefined) return;
  throw new SagaError("not-ready", `${branch} was not pushed. ${first.message}`, {
    hint: `Remove it from every commit of the branch. If it is not a secret, override the finding: \`${acceptCommand(storyId, [first])}\`.`,
  });
}

/** The first secret that no person overrode. `receipts`: for exactly the code that is pushed. */
export function refusedSecret(
  findings: readonly Finding[],
  receipts: readonly Receipt[],
  redact: (text: string) => string,
): MergeBlocker | undefined {
  const judged: Receipt = {
    gate: "diff",
    at: "",
    tree: "",
    isPassed: false,
    ms: 0,
    findings: [...findings],
  };
  const decisions = receipts.filter(({ gate }) => gate === "person");
  const all = [withoutSecrets(judged, redact), ...decisions];
  return mergeReadiness(all, NOTHING_ELSE).mergeBlockers.find(({ rule }) => rule === "secret");
}

const NOTHING_ELSE = { checks: [], needsTesting: false, needsReview: false, weakened: [] };
