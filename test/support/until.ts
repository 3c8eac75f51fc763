// Polls for changes without an event. If there is an event, wait for that instead.

import { setTimeout as wait } from "node:timers/promises";

type Question = () => boolean | Promise<boolean>;

const LOOK_EVERY_MS = 20;
/** Shorter than a test's time limit, so that the error names the condition. */
const MAX_WAIT_MS = 90_000;

/** As long as the test may take. */
export async function until(isSo: Question): Promise<void> {
  while (!(await isSo())) await wait(LOOK_EVERY_MS);
}

export async function becomesTrue(what: string, isSo: Question): Promise<void> {
  const deadline = Date.now() + MAX_WAIT_MS;
  await until(async () => {
    const hasCome = await isSo();
    if (!hasCome && Date.now() > deadline) throw new Error(`This did not become true: ${what}`);
    return hasCome;
  });
}
