// The entities that pages show, in memory, with their JSON. A client that joins gets a snapshot; from then on
// each set of changes has the next sequence number, so that the client notices a gap.

import type { Entities, Kind, ToPage } from "../protocol/messages.ts";

export interface LiveEntities {
  /** Sets an entity, or removes it if the value is null. Sent with the next `flush`. */
  readonly put: <K extends Kind>(kind: K, id: string, value: Entities[K][string] | null) => void;
  /** Sets these, and removes all others of their kind. */
  readonly putAll: <K extends Kind>(
    kind: K,
    values: ReadonlyMap<string, Entities[K][string]>,
  ) => void;
  readonly get: <K extends Kind>(kind: K, id: string) => Entities[K][string] | undefined;
  readonly ids: (kind: Kind) => readonly string[];
  /** Sends the changes since the last flush, if there are any. */
  readonly flush: () => void;
  /** The text of a `snapshot` message. */
  readonly snapshot: (server: { readonly token: string; readonly version: string }) => string;
  /** Calls the listener with the text of each `change` message. Returns how to leave. */
  readonly join: (listener: (message: string) => void) => () => void;
}

const KINDS = [
  "stories",
  "epics",
  "sessions",
  "pool",
  "problems",
  "lanes",
  "conflicts",
  "fleet",
  "project",
] as const satisfies Kind[];

interface Entity {
  readonly value: unknown;
  readonly text: string;
}

export function newLiveEntities(): LiveEntities {
  const shown = new Map<Kind, Map<string, Entity>>(KINDS.map((kind) => [kind, new Map()]));
  const changed = new Map<string, { readonly kind: Kind; readonly id: string }>();
  const listeners = new Set<(message: string) => void>();
  let sequence = 0;

  const allOf = (kind: Kind): Map<string, Entity> => shown.get(kind) ?? new Map<string, Entity>();
  const put: LiveEntities["put"] = (kind, id, value) => {
    const before = allOf(kind).get(id);
    const text = value === null ? undefined : JSON.stringify(value);
    if (before?.text === text) return;
    if (text === undefined) allOf(kind).delete(id);
    else allOf(kind).set(id, { value, text });
    changed.set(`${kind} ${id}`, { kind, id });
  };
  return {
    put,
    putAll(kind, values) {
      for (const id of allOf(kind).keys()) if (!values.has(id)) put(kind, id, null);
      for (const [id, value] of values) put(kind, id, value);
    },
    get: (kind, id) => allOf(kind).get(id)?.value as never,
    ids: (kind) => [...allOf(kind).keys()],
    flush() {
      if (changed.size === 0) return;
      sequence++;
      const changes = [...changed.values()].map(({ kind, id }) => {
        const key = `"kind":${JSON.stringify(kind)},"id":${JSON.stringify(id)}`;
        return `{${key},"value":${allOf(kind).get(id)?.text ?? "null"}}`;
      });
      changed.clear();
      const message = `{"type":"change","sequence":${sequence},"changes":[${changes.join(",")}]}`;
      for (const listener of listeners) listener(message);
    },
    snapshot(server) {
      const entities = KINDS.map((kind) => {
        const all = [...allOf(kind)].map(([id, { text }]) => `${JSON.stringify(id)}:${text}`);
        return `"${kind}":{${all.join(",")}}`;
      });
      const head = JSON.stringify({ type: "snapshot", sequence, ...server } satisfies Head);
      return `${head.slice(0, -1)},"entities":{${entities.join(",")}}}`;
    },
    join(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

type Head = Omit<Extract<ToPage, { type: "snapshot" }>, "entities">;
