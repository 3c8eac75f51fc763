// The entities that the page knows, and how messages change them. Pure.

import type { Entities, EntityChange, Kind, ToPage } from "../../protocol/messages.ts";

export interface KnownEntities {
  readonly sequence: number;
  readonly entities: Entities;
}

export type EntityMessage = Exclude<ToPage, { type: "log" | "output" }>;

export type ApplyResult =
  | {
      readonly is: "applied";
      readonly known: KnownEntities;
      readonly changed: readonly EntityKey[] | "all";
    }
  /** Already in the snapshot: the change was sent while the snapshot was made. */
  | { readonly is: "old" }
  /** Changes are missing: only a snapshot helps. */
  | { readonly is: "gap" };

export type EntityKey = `${Kind}:${string}`;
export const keyOf = (kind: Kind, id: string): EntityKey => `${kind}:${id}`;

/** Without inherited properties: looking up a story called `constructor` must not find one. */
const bare = <T extends object>(record: T): T => Object.assign(Object.create(null) as T, record);

export const NO_ENTITIES: Entities = {
  stories: bare({}),
  epics: bare({}),
  sessions: bare({}),
  pool: bare({}),
  problems: bare({}),
  lanes: bare({}),
  conflicts: bare({}),
  fleet: bare({}),
  project: bare({}),
};

export function applyMessage(
  known: KnownEntities | undefined,
  message: EntityMessage,
): ApplyResult {
  if (message.type === "snapshot") {
    const { sequence } = message;
    const entities = eachBare(message.entities);
    return { is: "applied", known: { sequence, entities }, changed: "all" };
  }
  if (known === undefined || message.sequence > known.sequence + 1) return { is: "gap" };
  if (message.sequence <= known.sequence) return { is: "old" };
  return {
    is: "applied",
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
  lanes: bare(entities.lanes),
  conflicts: bare(entities.conflicts),
  fleet: bare(entities.fleet),
  project: bare(entities.project),
});

/** Copies each changed kind once; unchanged kinds stay the same object. */
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
