// Lands one branch: a batch of one, verified by the test.

import type { Receipt } from "../../src/story/receipts/receipt.ts";
import { deliveryOfBranch } from "../../src/story/definition/names.ts";
import type { CommitParts, LandEntry } from "../../src/repo/compose/compose.ts";
import { land, type DeliveryResult, type LandRequest } from "../../src/repo/delivery/land.ts";

export interface DeliverRequest
  extends
    LandEntry,
    Pick<
      LandRequest<LandEntry>,
      "repository" | "target" | "updateCheckouts" | "onStep" | "onWarning" | "stop"
    > {
  /**
   * Verifies the commit in a clean, detached checkout. Called again if the target has moved. Combining the same
   * two commits again gives the same commit.
   */
  readonly verify: (folder: string, commit: string, parts: CommitParts) => Promise<Verification>;
}

export type Verification =
  | { readonly isPassed: true }
  | {
      readonly isPassed: false;
      readonly reason: string;
      readonly receipts?: readonly Receipt[] | undefined;
    };

export async function deliver(request: DeliverRequest): Promise<DeliveryResult> {
  const { verify, ...entry } = request;
  let refused: DeliveryResult = { kind: "stopped" };
  const [result] = await land({
    ...entry,
    entries: [entry],
    scratch: deliveryOfBranch(entry.branch) ?? "",
    async verify({ list: [candidate], checkOut }) {
      if (candidate === undefined) return { landing: 0 };
      const { commit, tip, onto, work } = candidate;
      const verified = await verify(await checkOut(commit), commit, { tip, onto, work });
      if (verified.isPassed) return { landing: 1 };
      const { reason, receipts = [] } = verified;
      refused = { kind: "refused", commit, reason, receipts };
      return { landing: 0 };
    },
  });
  // One entry is never behind another.
  const isRefused = result === undefined || result.kind === "not-verified";
  return isRefused || result.kind === "behind" ? refused : result;
}
