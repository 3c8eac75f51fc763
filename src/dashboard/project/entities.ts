// What is on show, in memory: every entity with its text, and a number that counts the changes. Whoever
// joins gets a snapshot; from then on each set of changes has the next number, so that a gap is seen.

import type { Entities, Kind, ToPage } from "../protocol/messages.ts";

export interface LiveEntities {
  /** Notes how something is now; nothing when it is gone. Told with the next `tell`. */
  readonly put: <K extends Kind>(kind: K, id: string, value: Entities[K][string] | null) => void;
  /** Puts these, and takes away all others of their kind. */
  readonly putAll: <K extends Kind>(
    kind: K,
    values: ReadonlyMap<string, Entities[K][string]>,
  ) => void;
  readonly get: <K extends Kind>(kind: K, id: string) => Entities[K][string] | undefined;
  readonly ids: (kind: Kind) => readonly string[];
  /** Sends what is different from before, if anything is. */
  readonly tell: () => void;
  /** The text of a `snapshot` message. */
  readonly snapshot: (about: { readonly token: string; readonly version: string }) => string;
  /** Called with the text of each `change` message; answers with how to leave. */
  readonly join: (listener: (message: string) => void) => () => void;
}

const KINDS = [
  "stories",
  "epics",
  "sessions",
  "pool",
  "problems",
  "project",
] as const satisfies Kind[];

interface Entity {
  readonly value: unknown;
  readonly text: string;
}

export function newLive(): LiveEntities {
  const shown = new Map<Kind, Map<string, Entity>>(KINDS.map((kind) => [kind, new Map()]));
  const changed = new Map<string, { readonly kind: Kind; readonly id: string }>();
  const listeners = new Set<(message: string) => void>();
  let sequence = 0;

  const of = (kind: Kind): Map<string, Entity> => shown.get(kind) ?? new Map<string, Entity>();
  const put: LiveEntities["put"] = (kind, id, value) => {
    const before = of(kind).get(id);
    const text = value === null ? undefined : JSON.stringify(value);
    if (before?.text === text) return;
    if (text === undefined) of(kind).delete(id);
    else of(kind).set(id, { value, text });
    changed.set(`${kind} ${id}`, { kind, id });
  };
  return {
    put,
    putAll(kind, values) {
      for (const id of of(kind).keys()) if (!values.has(id)) put(kind, id, null);
      for (const [id, value] of values) put(kind, id, value);
    },
    get: (kind, id) => of(kind).get(id)?.value as never,
    ids: (kind) => [...of(kind).keys()],
    tell() {
      if (changed.size === 0) return;
      sequence++;
      const changes = [...changed.values()].map(({ kind, id }) => {
        const about = `"kind":${JSON.stringify(kind)},"id":${JSON.stringify(id)}`;
        return `{${about},"value":${of(kind).get(id)?.text ?? "null"}}`;
      });
      changed.clear();
      const message = `{"type":"change","sequence":${sequence},"changes":[${changes.join(",")}]}`;
      for (const listener of listeners) listener(message);
    },
    snapshot(about) {
      const entities = KINDS.map((kind) => {
        const all = [...of(kind)].map(([id, { text }]) => `${JSON.stringify(id)}:${text}`);
        return `"${kind}":{${all.join(",")}}`;
      });
      const head = JSON.stringify({ type: "snapshot", sequence, ...about } satisfies Head);
      return `${head.slice(0, -1)},"entities":{${entities.join(",")}}}`;
    },
    join(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

type Head = Omit<Extract<ToPage, { type: "snapshot" }>, "entities">;
