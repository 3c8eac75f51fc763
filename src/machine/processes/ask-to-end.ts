// Asks a process to end in an orderly way: SIGTERM, and a wait for its end.

import { livenessOf, type ProcessId } from "./process-id.ts";
import { waitUntil } from "./timer.ts";

/** `elsewhere`: it is not alive on this machine, or in another container, so nothing was sent. */
export type AskedToEnd = "ended" | "slow" | "elsewhere";

export async function askToEnd(owner: ProcessId, maxMs: number): Promise<AskedToEnd> {
  if (livenessOf(owner) !== "alive") return "elsewhere";
  process.kill(owner.pid, "SIGTERM");
  const isDead = (): boolean => livenessOf(owner) === "dead";
  return (await waitUntil(isDead, { maxMs })) ? "ended" : "slow";
}
