// Gives each running story its own range of ports, so that their servers do not collide. A claim is a file
// named after the first port. It is valid while the process that wrote it lives.

import { renameSync } from "node:fs";
import { join } from "node:path";
import { SagaError } from "../../errors.ts";
import { listNames, readTextIfThere, syncFolder } from "../../machine/files/files.ts";
import { parseJson } from "../../text/parse-json.ts";
import {
  isProcessId,
  livenessOf,
  thisProcess,
  type ProcessId,
} from "../../machine/processes/process-id.ts";
import { withLock } from "../../machine/files/folder-lock.ts";
import type { Settings } from "../../story/settings/settings.ts";

export interface PortClaim {
  /** The repository's common git folder, shared by all worktrees. */
  readonly commonDir: string;
  readonly storyId: string;
  readonly first: number;
  readonly count: number;
}

export interface PortRange {
  readonly first: number;
  readonly count: number;
}

interface Claim extends PortRange {
  readonly storyId: string;
  readonly owner: ProcessId;
}

const LAST_PORT = 65_535;

export type PortSettings = Pick<Settings["worktree"], "firstPort" | "ports">;

/** For the environment of a story's commands and agent. Empty when the settings assign no ports. */
export async function portVariables(
  { commonDir, storyId }: Pick<PortClaim, "commonDir" | "storyId">,
  { firstPort: first, ports: count }: PortSettings,
): Promise<Record<string, string>> {
  if (count === 0) return {};
  const range = await claimPorts({ commonDir, storyId, first, count });
  return { SAGA_PORT: String(range.first), SAGA_PORT_COUNT: String(count) };
}

/** Repeated, it returns the same range, unless another story claimed it while this one was not running. */
export function claimPorts({ commonDir, storyId, first, count }: PortClaim): Promise<PortRange> {
  const folder = join(commonDir, "saga", "ports");
  // Under a lock: a range must be claimed before another process can find it free.
  return withLock(folder, (locked) => {
    const claims = readClaims(folder);
    const range = chooseRange(claims, { storyId, first, count });
    if (range === undefined) {
      throw new SagaError("not-ready", `${storyId}: no range of ${count} ports is free.`, {
        hint: "Lower `first_port` or `ports` under `[worktree]` in .saga/config.toml.",
      });
    }
    // The claim of a living process of this story, such as its worker, outlives this one: it stays.
    const isClaimed = claims.some(
      (one) =>
        one.storyId === storyId &&
        one.first === range.first &&
        one.count === count &&
        livenessOf(one.owner) === "alive",
    );
    if (isClaimed) return range;
    const claim: Claim = { storyId, ...range, owner: thisProcess() };
    locked.write(`${JSON.stringify(claim)}\n`);
    renameSync(locked.file, join(folder, `${range.first}.json`));
    syncFolder(folder);
    return range;
  });
}

/** The story's previous range if it is still free, otherwise the lowest free one. */
function chooseRange(
  claims: readonly Claim[],
  { storyId, first, count }: Omit<PortClaim, "commonDir">,
): PortRange | undefined {
  const isTaken = (from: number): boolean =>
    claims.some(
      (claim) =>
        claim.storyId !== storyId &&
        from < claim.first + claim.count &&
        claim.first < from + count &&
        livenessOf(claim.owner) !== "dead",
    );
  const own = claims.find((claim) => claim.storyId === storyId && claim.count === count);
  const isInRow = own !== undefined && own.first >= first && (own.first - first) % count === 0;
  if (isInRow && !isTaken(own.first)) return { first: own.first, count };
  for (let from = first; from + count - 1 <= LAST_PORT; from += count) {
    if (!isTaken(from)) return { first: from, count };
  }
  return undefined;
}

const readClaims = (folder: string): Claim[] =>
  listNames(folder)
    .filter((name) => /^\d+\.json$/.test(name))
    .flatMap((name) => {
      const claim = parseJson(readTextIfThere(join(folder, name)) ?? "");
      // A file that is not a valid claim is ignored.
      return isClaim(claim) ? claim : [];
    });

/** Without a schema: hook scripts use this file, and they have no packages. */
function isClaim(value: unknown): value is Claim {
  const { storyId, first, count, owner } = (value ?? {}) as Partial<Record<keyof Claim, unknown>>;
  const areNumbers = Number.isInteger(first) && Number.isInteger(count);
  return typeof storyId === "string" && areNumbers && isProcessId(owner);
}
