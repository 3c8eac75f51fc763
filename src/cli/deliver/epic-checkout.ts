// What the run of an epic may do to a checkout of its target: said before it starts, and asked once at a terminal.

import type { Context } from "../../context.ts";
import { SagaError } from "../../errors.ts";
import { findBase, findRepository } from "../../repo/repository.ts";
import { canPush, openForge } from "../../repo/open-forge.ts";
import { whyNotMovable, type Target } from "../../repo/delivery/target.ts";
import { EXIT } from "../../story/state/exit-codes.ts";
import { epicRunAdvice, epicRunQuestion } from "../../story/receipts/checkout-advice.ts";
import type { Epic } from "../../story/definition/epic.ts";
import { epicBranch } from "../../story/definition/names.ts";
import { isDeliveredAsOne } from "../../story/settings/settings.ts";
import type { CommandResult, CommandContext } from "../program/command.ts";
import { isYes } from "./merge-command.ts";
import { lines, plain } from "../output/terminal.ts";

export interface EpicCheckout extends Pick<Context, "store" | "settings"> {
  readonly epic: Epic;
  /** What was said on the command line. */
  readonly given: boolean | undefined;
  /** Start nothing when a person has to be asked. */
  readonly isAskedFirst: boolean;
}

export type CheckoutDecision =
  | { readonly updateCheckouts: boolean | undefined }
  | { readonly refused: CommandResult };

export async function decideCheckout(
  { io }: CommandContext,
  asked: EpicCheckout,
): Promise<CheckoutDecision> {
  const { settings, epic, isAskedFirst } = asked;
  const given = asked.given ?? (settings.delivery.updateCheckout ? true : undefined);
  const target = await targetOf(io.env, asked);
  if (target === undefined) return { updateCheckouts: given };
  const { repository, ...into } = target;
  const busy = await whyNotMovable(repository, into, { updateCheckouts: false });
  if (busy === undefined) return { updateCheckouts: given };
  const found = { ...busy, id: epic.id, into: into.branch };
  const mayAsk = given === undefined && busy.isUpdatable;
  if (mayAsk && isAskedFirst) return { refused: refusal(found) };
  const updateCheckouts =
    mayAsk && io.isTerminal
      ? isYes(await io.ask(`${plain(epicRunQuestion(found))} [y/N] `))
      : given;
  io.writeError(`${lines(epicRunAdvice(found, updateCheckouts === true))}\n`);
  return { updateCheckouts };
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

/** Undefined where there is none yet: each story says what is missing. */
async function targetOf(
  env: CommandContext["io"]["env"],
  { store, settings, epic }: EpicCheckout,
): Promise<
  (Target & { readonly repository: Awaited<ReturnType<typeof findRepository>> }) | undefined
> {
  try {
    const repository = await findRepository(store.project, env);
    const forge = openForge(repository, { settings, env, now: Date.now });
    const isRemote = repository.remote !== undefined && canPush(repository, settings, forge);
    const branch = isDeliveredAsOne(epic, settings)
      ? epicBranch(epic.id)
      : (await findBase(repository, settings.git.base)).target;
    return { repository, branch, place: isRemote ? "remote" : "here" };
  } catch (error) {
    if (error instanceof SagaError) return undefined;
    throw error;
  }
}
