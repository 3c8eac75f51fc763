// Several ways to claim a task. Each returns whether this process got it.

import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { claimTask } from "../src/tasks/claims/claim.ts";
import { openClaimer } from "../src/store/claims/claimer.ts";
import { readTask, updateTask } from "../src/claude/tasks/list.ts";
import { writeDurably } from "../src/machine/files/files.ts";
import { thisProcess } from "../src/machine/processes/process-id.ts";
import type { ClaudeCodeTask } from "../src/claude/tasks/format.ts";
import type { Peers } from "./peers.ts";

export type ProtocolName = "saga" | "exclusive file" | "re-read" | "proper-lockfile";
type Claim = (id: string) => Promise<boolean>;

/** The part of the package that is used. */
interface Lockfile {
  readonly lock: (folder: string, options: object) => Promise<() => Promise<void>>;
}

export const protocols: Record<ProtocolName, (list: string, owner: string, peers: Peers) => Claim> =
  {
    saga(list, owner) {
      const claimer = openClaimer(list, { owner, instance: "bench", ttlMs: 60_000 });
      return async (id) => (await claimTask(list, claimer, id)).kind === "claimed";
    },

    /** A file that only one process can create, and the same durable update. Dead owners are not recognised. */
    "exclusive file"(list, owner) {
      mkdirSync(`${list}/.exclusive`, { recursive: true });
      const card = JSON.stringify({ owner, ...thisProcess() });
      return async (id) => {
        try {
          const file = openSync(`${list}/.exclusive/${id}`, "wx");
          writeSync(file, card);
          closeSync(file);
        } catch {
          return false;
        }
        return (await updateTask(list, id, begun(owner), { isDurable: true })) !== undefined;
      };
    },

    /** Write, read again, compare: the first design. */
    "re-read": (list, owner) => async (id) => {
      const before = await readTask(list, id);
      if (!before || !isFree(before)) return false;
      writeDurably(`${list}/${id}.json`, JSON.stringify(begun(owner)(before), undefined, 2));
      return (await readTask(list, id))?.owner === owner;
    },

    "proper-lockfile": (list, owner, peers) => async (id) => {
      const retries = { retries: 1000, factor: 1, minTimeout: 2, maxTimeout: 20, randomize: true };
      const lockfile = peers.load("proper-lockfile") as Lockfile | undefined;
      if (!lockfile) throw new Error("It was not fetched.");
      const release = await lockfile.lock(list, { retries });
      try {
        const before = await readTask(list, id);
        if (!before || !isFree(before)) return false;
        writeDurably(`${list}/${id}.json`, JSON.stringify(begun(owner)(before), undefined, 2));
        return true;
      } finally {
        await release();
      }
    },
  };

const isFree = ({ status, owner }: ClaudeCodeTask): boolean => status === "pending" && !owner;

const begun =
  (owner: string) =>
  (task: ClaudeCodeTask): ClaudeCodeTask => ({ ...task, status: "in_progress", owner });
