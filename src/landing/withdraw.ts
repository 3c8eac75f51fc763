// Takes an entry out of its lane: its command was stopped, or a person dropped it.

import type { Store } from "../store/store.ts";
import { laneLease } from "../store/leases/lease-names.ts";
import type { Entry } from "../story/landing/entry.ts";
import { laneId } from "./lane-id.ts";

const POLL_MS = 500;

/**
 * Returns the entry's outcome: the given one, or its result if it was being landed at that moment. Undefined if
 * its lander was killed then: the next merge of the same work finds out.
 */
export async function withdraw(
  { queue, leases }: Pick<Store, "queue" | "leases">,
  entry: Entry,
  outcome: unknown,
): Promise<{ readonly value: unknown } | undefined> {
  const watch = queue.watch(entry.lane);
  try {
    while (!(await queue.withdraw(entry, outcome))) {
      const lander = await leases.read(laneLease(laneId(entry.lane)));
      if (lander?.life !== "alive") {
        await queue.unmarkLanding(entry.lane);
        await queue.withdraw(entry, outcome);
        return undefined;
      }
      await watch.next(POLL_MS);
    }
    return await queue.outcome(entry);
  } finally {
    watch.close();
  }
}
