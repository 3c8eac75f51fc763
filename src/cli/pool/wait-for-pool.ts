// Waits until the daemon of a detached pool has registered: before that, it cannot be drained or stopped.

import { setTimeout as wait } from "node:timers/promises";
import { SagaError } from "../../errors.ts";
import { openTmux } from "../../machine/programs/tmux.ts";
import { readDaemons } from "../../tasks/daemon-files.ts";
import type { Io } from "../program/io.ts";
import { sessionTail } from "../output/session-tail.ts";
import type { StartedSession } from "../start/start-session.ts";

const POLL_MS = 50;
/** Longer, because each poll starts a tmux process. */
const TMUX_POLL_MS = 1_000;
/** After this the machine is assumed to be just slow. */
const MAX_WAIT_MS = 30_000;

export async function waitForPool(
  io: Io,
  project: string,
  { session, outputFile }: StartedSession,
): Promise<void> {
  const hasStarted = (): boolean =>
    readDaemons(project).some(({ daemon }) => daemon.session === session);
  const deadlineMs = performance.now() + MAX_WAIT_MS;
  for (let askMs = performance.now() + TMUX_POLL_MS; !hasStarted(); await wait(POLL_MS)) {
    const nowMs = performance.now();
    if (nowMs > deadlineMs) return;
    if (nowMs < askMs) continue;
    const isThere = (await openTmux(io.env).list()).some(({ name }) => name === session);
    // It may have registered and ended while tmux answered.
    if (!isThere && !hasStarted()) throw exitedDuringStartup(outputFile);
    askMs = performance.now() + TMUX_POLL_MS;
  }
}

function exitedDuringStartup(outputFile: string): SagaError {
  const tail = sessionTail(outputFile);
  const words = tail === "" ? "It printed nothing." : `Its last output: ${tail}`;
  return new SagaError("program-failed", `The pool exited during startup. ${words}`, {
    hint: "Run `saga auto` without `--detach` to see the error.",
  });
}
