import { createHash } from "node:crypto";
import { laneName, type Lane } from "../story/landing/entry.ts";

/** Valid as a story id, for the scratch worktree, ports and marks of processes. */
export function laneId(lane: Lane): string {
  const name = laneName(lane);
  const slug = `${lane.place}-${lane.branch}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 8);
  return `lane-${slug.replaceAll(/^-|-$/g, "").slice(0, 40).replace(/-$/, "")}-${hash}`;
}

/** The same for a process that verifies ahead in that lane. */
export const aheadId = (lane: Lane, slot: number): string => `${laneId(lane)}-ahead-${slot}`;
