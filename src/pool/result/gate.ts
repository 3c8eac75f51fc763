// The gate of a task, and its possible results.

import type { GateWork } from "../../gate/story-gate.ts";
import { RUN_MARK } from "../../story/definition/names.ts";
import { checksOf } from "./merged-task.ts";
import type { PreparedTaskWork } from "../task/context.ts";

export type TaskGateResult =
  | { readonly kind: "merged"; readonly commit: string }
  /** No change is needed, and the target passes the checks. */
  | { readonly kind: "as-is" }
  /** The gate refused; `agentText` is for the agent. */
  | { readonly kind: "refused"; readonly why: string; readonly agentText: string }
  /** The merge is in progress in the worktree; `sides` describes both sides. */
  | { readonly kind: "conflict"; readonly files: readonly string[]; readonly sides: string }
  /** Others moved the target every time. */
  | { readonly kind: "moved"; readonly why: string }
  /** The target is checked out in a folder that must not be changed. */
  | { readonly kind: "checked-out"; readonly folder: string; readonly why: string }
  | { readonly kind: "stopped" };

export const gateOf = ({ worker, task, record }: PreparedTaskWork): GateWork => ({
  repository: worker.repository,
  story: { id: worker.name, checks: checksOf(worker, task), writeFiles: [] },
  tasks: [],
  settings: worker.settings,
  env: worker.env,
  now: worker.now,
  stop: worker.stop,
  variables: { [RUN_MARK]: record.run().id },
  mayReuse: worker.settings.gate.reuseReceipts,
});
