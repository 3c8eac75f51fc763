// A pool in a session of its own has begun when its daemon can be seen: only then can it be told to drain or to stop.

import { setTimeout as wait } from "node:timers/promises";
import { SagaError } from "../../errors.ts";
import { openTmux } from "../../machine/programs/tmux.ts";
import { readDaemons } from "../../tasks/daemon-files.ts";
import type { Io } from "../program/io.ts";
import { lastWords } from "../output/session-tail.ts";
import type { StartedSession } from "../start/start-session.ts";

const LOOK_EVERY_MS = 50;
/** To ask tmux is a process of its own. */
const ASK_EVERY_MS = 1_000;
/** A machine that needs longer is busy, and gets to it. */
const PATIENCE_MS = 30_000;

export async function untilPoolBegan(
  io: Io,
  project: string,
  { session, outputFile }: StartedSession,
): Promise<void> {
  const isSeen = (): boolean =>
    readDaemons(project).some(({ daemon }) => daemon.session === session);
  const deadlineMs = performance.now() + PATIENCE_MS;
  for (let askMs = performance.now() + ASK_EVERY_MS; !isSeen(); await wait(LOOK_EVERY_MS)) {
    const nowMs = performance.now();
    if (nowMs > deadlineMs) return;
    if (nowMs < askMs) continue;
    const isThere = (await openTmux(io.env).list()).some(({ name }) => name === session);
    // It may have been seen, and have ended, while tmux was asked.
    if (!isThere && !isSeen()) throw endedEarly(outputFile);
    askMs = performance.now() + ASK_EVERY_MS;
  }
}

function endedEarly(outputFile: string): SagaError {
  const said = lastWords(outputFile);
  const words = said === "" ? "It said nothing." : `It said: ${said}`;
  return new SagaError("program-failed", `The pool ended before it had begun. ${words}`, {
    hint: "`saga auto` without `--detach` shows what is wrong.",
  });
}
