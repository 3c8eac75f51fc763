// Claims as other processes and machines leave them.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { ClaimObserver } from "../../src/store/claims/claim-observer.ts";
import type { ClaimerRecord } from "../../src/store/claims/claimer-file.ts";
import { openClaimer, type Claimer } from "../../src/store/claims/claimer.ts";
import { thisProcess } from "../../src/machine/processes/process-id.ts";

/** In this process. */
export function newClaimer(
  list: string,
  owner = "auto-1",
  instance = "here",
  observer?: ClaimObserver,
): Claimer {
  const claimer = openClaimer(list, { owner, instance, ttlMs: 60_000, observer });
  onTestFinished(() => claimer.close());
  return claimer;
}

export const aCard = (more: Partial<ClaimerRecord> = {}): ClaimerRecord => ({
  ...thisProcess(),
  owner: "auto-1",
  instance: "elsewhere",
  ttlMs: 30_000,
  nonce: Math.random().toString(36),
  ...more,
});

/** Its pid may have been reused; the start time differs. */
export const aDeadCard = (more: Partial<ClaimerRecord> = {}): ClaimerRecord =>
  aCard({ startTime: "1", ...more });

/** Writes a claim as its owner would have linked it. */
export function forgeClaim(
  list: string,
  taskId: string,
  number: number,
  card?: ClaimerRecord,
): string {
  mkdirSync(join(list, ".claims"), { recursive: true });
  const file = join(list, ".claims", `${taskId}.${number}`);
  writeFileSync(file, card ? JSON.stringify(card) : "");
  return file;
}

/** A heartbeat with the time of a clock that is wrong by this much. */
export function stamp(file: string, aheadMs: number): void {
  const then = new Date(Date.now() + aheadMs);
  utimesSync(file, then, then);
}

/** A process that claims these tasks and is then killed. */
export async function claimAndDie(program: string, list: string, ids: readonly string[]) {
  const child = spawn(process.execPath, [program, list, "auto-1"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  const last = `done ${ids.at(-1)}\n`;
  const printed = new Promise<void>((resolve) => {
    let text = "";
    child.stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (text.endsWith(last)) resolve();
    });
  });
  child.stdin.write(ids.map((id) => `${id}\n`).join(""));
  await printed;
  child.kill("SIGKILL");
  await ended;
}
