// Decides before an epic's run whether it may update a checkout of its target, and asks once at a terminal.

import type { Context } from "../../context.ts";
import { SagaError } from "../../errors.ts";
import { findRepository } from "../../repo/repository.ts";
import { openForge, targetPlace } from "../../repo/open-forge.ts";
import { findTarget, sharedBranch } from "../../repo/story-range.ts";
import type { BusyCheckout } from "../../repo/delivery/update-checkout.ts";
import { whyNotMovable, type Target } from "../../repo/delivery/target.ts";
import { EXIT } from "../../story/state/exit-codes.ts";
import { epicRunAdvice, epicRunQuestion } from "../../story/receipts/checkout-advice.ts";
import type { Epic } from "../../story/definition/epic.ts";
import type { CommandResult, CommandContext } from "../program/command.ts";
import { isYes } from "../program/io.ts";
import { declinedResult, type CheckoutDecision } from "./merge-command.ts";
import { lines, plain } from "../output/terminal.ts";

export interface EpicCheckout extends Pick<Context, "store" | "settings"> {
  readonly epic: Epic;
  /** From the command line. */
  readonly updateCheckout: boolean | undefined;
  /** Refuse instead of asking. */
  readonly mustAskFirst: boolean;
}

export async function decideCheckout(
  { io }: CommandContext,
  request: EpicCheckout,
): Promise<CheckoutDecision> {
  const { settings, epic, mustAskFirst } = request;
  const allowed = request.updateCheckout ?? (settings.delivery.updateCheckout ? true : undefined);
  const target = await targetOf(io.env, request);
  if (target === undefined) return { updateCheckouts: allowed };
  const { repository, ...into } = target;
  const busy = await whyNotMovable(repository, into, { updateCheckouts: false });
  if (busy === undefined) return { updateCheckouts: allowed };
  const found = { ...busy, id: epic.id, into: into.branch };
  const step = askingStep(busy, { allowed, mustAskFirst, isTerminal: io.isTerminal });
  if (step === "refuse") return { declined: refusal(found) };
  const asks = step === "ask";
  if (asks && !isYes(await io.ask(`${plain(epicRunQuestion(found))} [y/N] `))) {
    const command = sharedBranch(epic, settings) !== undefined ? "epic-branch-run" : "epic-run";
    return { declined: declinedResult(command, epic.id, found) };
  }
  const updateCheckouts = asks || allowed;
  io.writeError(`${lines(epicRunAdvice(found, updateCheckouts === true))}\n`);
  return { updateCheckouts };
}

interface Asking {
  /** By the command line or the settings; undefined if neither says. */
  readonly allowed: boolean | undefined;
  readonly mustAskFirst: boolean;
  readonly isTerminal: boolean;
}

/** A person is asked only if their answer could change something. */
export function askingStep(
  { isUpdatable }: Pick<BusyCheckout, "isUpdatable">,
  { allowed, mustAskFirst, isTerminal }: Asking,
): "ask" | "refuse" | "go-on" {
  if (allowed !== undefined || !isUpdatable) return "go-on";
  if (mustAskFirst) return "refuse";
  return isTerminal ? "ask" : "go-on";
}

function refusal(found: Parameters<typeof epicRunAdvice>[0]): CommandResult {
  const message = epicRunAdvice(found, false);
  const question = epicRunQuestion(found);
  const { id, ...rest } = found;
  return {
    json: { epic: id, kind: "checked-out", ...rest, message, question },
    text: () => `${lines(message)}\n`,
    exitCode: EXIT.notMerged,
  };
}

/** Undefined if there is no target yet: each story reports what is missing. */
async function targetOf(
  env: CommandContext["io"]["env"],
  { store, settings, epic }: EpicCheckout,
): Promise<
  (Target & { readonly repository: Awaited<ReturnType<typeof findRepository>> }) | undefined
> {
  try {
    const repository = await findRepository(store.project, env);
    const forge = openForge(repository, { settings, env, now: Date.now });
    const query = { storyId: undefined, epic, settings, forge };
    const { target: branch } = await findTarget(repository, query);
    return { repository, branch, place: targetPlace(repository, settings, forge) };
  } catch (error) {
    if (error instanceof SagaError) return undefined;
    throw error;
  }
}
