// Debounces changes. Saving one story writes several files within milliseconds, and a log grows by fifty lines
// a second: each change is reported once, a moment later.

import { changeKey, type ProjectChange } from "../../store/views/project-change.ts";

export type LogChange = Extract<ProjectChange, { kind: "events" }>;

type OutputChange = Extract<ProjectChange, { kind: "output" }>;

export interface Debouncer {
  readonly add: (change: ProjectChange) => void;
  readonly close: () => void;
}

interface DebouncedListeners {
  /** The next batch waits until this one is handled: a slow machine gets fewer calls, not a backlog. */
  readonly onChanges: (changes: readonly ProjectChange[]) => Promise<void>;
  /** Logs that have grown, for the pages that follow them. */
  readonly onLogs: (logs: readonly LogChange[]) => void;
  /** The same logs, less often, for the last action on each card. */
  readonly onActions: (logs: readonly LogChange[]) => Promise<void>;
  /** Lanes whose check has printed something. */
  readonly onOutputs: (outputs: readonly OutputChange[]) => void;
}

/** Long enough for the files of one change, short enough to look instant. */
const CHANGE_MS = 50;
/** Sends fifty lines a second in a few messages. */
const LOG_MS = 30;
const ACTION_MS = 400;

export function debounceChanges(listeners: DebouncedListeners): Debouncer {
  const { onChanges, onLogs, onActions, onOutputs } = listeners;
  const changes = newBatch(CHANGE_MS, onChanges);
  const logs = newBatch(LOG_MS, onLogs);
  const actions = newBatch(ACTION_MS, onActions);
  const outputs = newBatch(LOG_MS, onOutputs);
  return {
    add(change) {
      if (change.kind === "events") {
        logs.add(change);
        actions.add(change);
      } else if (change.kind === "output") outputs.add(change);
      else changes.add(change);
    },
    close() {
      for (const batch of [changes, logs, actions, outputs]) batch.close();
    },
  };
}

/** Reports each change once, `delayMs` after the first of a batch, and never while the previous batch is handled. */
function newBatch<C extends ProjectChange>(
  delayMs: number,
  onBatch: (changes: readonly C[]) => Promise<void> | void,
) {
  let batch = new Map<string, C>();
  let timer: NodeJS.Timeout | undefined;
  let isBusy = false;
  let isClosed = false;
  const schedule = (): void => {
    isBusy = true;
    timer = setTimeout(() => void report(), delayMs);
  };
  const report = async (): Promise<void> => {
    const changes = [...batch.values()];
    batch = new Map();
    await onBatch(changes);
    isBusy = false;
    if (batch.size > 0 && !isClosed) schedule();
  };
  return {
    add(change: C) {
      batch.set(changeKey(change), change);
      if (!isBusy) schedule();
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
