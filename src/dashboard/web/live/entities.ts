// What the page knows, and what a message makes of it. Pure: the socket, the clock and React are elsewhere.

import type { Entities, EntityChange, Kind, ToPage } from "../../protocol/messages.ts";

export interface Known {
  readonly sequence: number;
  readonly entities: Entities;
}

export type Told = Exclude<ToPage, { type: "log" }>;

export type Taken =
  | { readonly is: "taken"; readonly known: Known; readonly changed: readonly EntityKey[] | "all" }
  /** Seen before: a change that was on its way while a snapshot was made. */
  | { readonly is: "old" }
  /** Something is missing in between; only a snapshot helps. */
  | { readonly is: "gap" };

export type EntityKey = `${Kind}:${string}`;
export const keyOf = (kind: Kind, id: string): EntityKey => `${kind}:${id}`;

/** Without what every object has: a story may be called `constructor`, and nobody asks for it in vain. */
const bare = <T extends object>(known: T): T => Object.assign(Object.create(null) as T, known);

export const NOTHING: Entities = {
  stories: bare({}),
  epics: bare({}),
  sessions: bare({}),
  pool: bare({}),
  problems: bare({}),
  project: bare({}),
};

export function take(known: Known | undefined, message: Told): Taken {
  if (message.type === "snapshot") {
    const { sequence } = message;
    const entities = eachBare(message.entities);
    return { is: "taken", known: { sequence, entities }, changed: "all" };
  }
  if (known === undefined || message.sequence > known.sequence + 1) return { is: "gap" };
  if (message.sequence <= known.sequence) return { is: "old" };
  return {
    is: "taken",
    known: { sequence: message.sequence, entities: withChanges(known.entities, message.changes) },
    changed: message.changes.map(({ kind, id }) => keyOf(kind, id)),
  };
}

const eachBare = (entities: Entities): Entities => ({
  stories: bare(entities.stories),
  epics: bare(entities.epics),
  sessions: bare(entities.sessions),
  pool: bare(entities.pool),
  problems: bare(entities.problems),
  project: bare(entities.project),
});

/** Each kind is copied once for all its changes; kinds that did not change stay the same object. */
function withChanges(entities: Entities, changes: readonly EntityChange[]): Entities {
  const copies = new Map<Kind, Record<string, unknown>>();
  for (const { kind, id, value } of changes) {
    const copy = copies.get(kind) ?? bare<Record<string, unknown>>(entities[kind]);
    copies.set(kind, copy);
    if (value === null) delete copy[id];
    else copy[id] = value;
  }
  return { ...entities, ...Object.fromEntries(copies) };
}
