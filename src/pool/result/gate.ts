// What judges the work on a task, and what can come of it.

import type { GateWork } from "../../gate/story-gate.ts";
import { RUN_MARK } from "../../story/definition/names.ts";
import { checksOf } from "./arrival.ts";
import type { PreparedTaskWork } from "../task/context.ts";

export type TaskGateResult =
  | { readonly kind: "merged"; readonly commit: string }
  /** Nothing has to be changed, and the target passes the checks. */
  | { readonly kind: "as-is" }
  /** The gate does not let it pass; what the agent is told. */
  | { readonly kind: "refused"; readonly why: string; readonly told: string }
  /** The merge is begun in the worktree; both sides are named. */
  | { readonly kind: "conflict"; readonly files: readonly string[]; readonly sides: string }
  /** Others were faster, time after time. */
  | { readonly kind: "moved"; readonly why: string }
  /** Someone works in a checkout of the target. */
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
});
