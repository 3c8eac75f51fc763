// Builds the cards of the pool's tasks. Pure.

import { DEFAULT_PRIORITY } from "../../story/definition/fields.ts";
import type { PoolListing } from "../../tasks/listing.ts";
import { viewList, type ListFacts, type PoolTaskView } from "../../tasks/view.ts";
import type { PoolTaskCard } from "../protocol/messages.ts";

export interface PageFacts extends ListFacts {
  /** A worker of this project has that name. */
  readonly isOwn: (owner: string) => boolean;
}

export function poolTaskCards(listing: PoolListing, facts: PageFacts): PoolTaskCard[] {
  return viewList(listing, facts).map((view) => ({
    id: view.id,
    subject: view.subject || view.id,
    state: stateOf(view, facts),
    label: view.label,
    priority: view.priority ?? DEFAULT_PRIORITY,
    owner: view.owner,
    blockedBy: listing.tasks.has(view.id)
      ? listing.board.blockers(view.id)
      : (listing.broken.get(view.id)?.task?.blockedBy ?? []),
    why: view.why,
    ...(view.isQuestion && { isQuestion: true }),
    attempts: view.attempts,
  }));
}

/** A task claimed by a worker of another project is `elsewhere`. */
function stateOf({ state, owner }: PoolTaskView, { isOwn }: PageFacts): PoolTaskCard["state"] {
  return state === "working" && !isOwn(owner ?? "") ? "elsewhere" : state;
}
