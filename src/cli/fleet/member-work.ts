// What a worker on a member does besides its work: it sends its events to the fleet, and looks whether a person on another
// machine wants it to stop. Neither is needed for the work: without the database it continues, and sends everything later.

import type { Context } from "../../context.ts";
import type { EndRequest } from "../../fleet/engine/stop-requests.ts";
import { startHeartbeat } from "../../store/leases/heartbeat.ts";
import { epicBudgetSpent, requestDrain } from "../../store/leases/drain-request.ts";
import { requestStop } from "../../store/leases/stop-request.ts";
import { layoutOf } from "../../store/project/layout.ts";
import { followDiscardOf } from "./follow-discards.ts";
import { openFleetOf } from "./open-fleet.ts";

export interface MemberWork {
  /** Sends the rest. */
  readonly end: () => Promise<void>;
}

const EVERY_MS = 2_000;

export async function startMemberWork(
  { store, settings, env }: Pick<Context, "store" | "settings" | "env">,
  storyId: string,
  stopThis: () => void = () => void process.kill(process.pid, "SIGTERM"),
): Promise<MemberWork> {
  if (settings.fleet.name === undefined) return { end: async () => undefined };
  const fleet = await openFleetOf({ project: store.project, env }, settings);
  const { send, receive } = fleet.openExchange(store);
  // What other machines did with the story: its receipts and its cost count here too.
  await receive(storyId);
  // If that fails, the worker's fence refuses to continue what was discarded.
  const { repository } = fleet;
  const discards = { store, repository, env, fleet, onProblem: () => undefined };
  await followDiscardOf(discards, storyId).catch(() => undefined);
  let ending: "stop" | "drain" | undefined;
  const look = async (): Promise<void> => {
    if (ending === "stop") return;
    const request = (await fleet.stopRequests.find(storyId, fleet.machine)) ?? (await askToDrain());
    if (request === undefined || request.kind === ending) return;
    ending = request.kind;
    const at = layoutOf(store.project);
    if (request.kind === "drain") {
      // The worker looks for it.
      requestDrain(at, storyId, Date.now(), epicBudgetSpent(request.budgetUsd));
      return;
    }
    requestStop(at, storyId, Date.now());
    stopThis();
  };
  /** Every worker looks itself, so no one has to follow the epic. */
  const askToDrain = async (): Promise<EndRequest | undefined> => {
    const budget = ending === undefined ? await fleet.epicBudgets.ofClaimed(storyId) : undefined;
    if (budget === undefined || budget.spentUsd < budget.budgetUsd) return undefined;
    return { kind: "drain", budgetUsd: budget.budgetUsd };
  };
  const beating = startHeartbeat(EVERY_MS, () => send(storyId), look);
  return {
    async end() {
      clearInterval(beating);
      await send(storyId).catch(() => undefined);
      await fleet.close().catch(() => undefined);
    },
  };
}
