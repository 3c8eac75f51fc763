// Takes what changes together together. A change of one story is several files within milliseconds, and a log
// grows by fifty lines a second: each is told once, a moment later.

import { subjectKey, type Subject } from "./change.ts";

export type LogSubject = Extract<Subject, { kind: "events" }>;

export interface Gathering {
  readonly add: (subject: Subject) => void;
  readonly close: () => void;
}

interface Told {
  /** Until it is done with them the next are gathered: a slow machine is asked less often, not for more. */
  readonly onSubjects: (subjects: readonly Subject[]) => Promise<void>;
  /** Logs that have grown, for those who follow them. */
  readonly onLogs: (logs: readonly LogSubject[]) => void;
  /** The same for the cards. */
  readonly onActions: (logs: readonly LogSubject[]) => Promise<void>;
}

/** Long enough for the files of one change, short enough to look instant. */
const GATHER_MS = 50;
/** Fifty lines a second are sent in a few messages. */
const LOG_MS = 30;
/** A card's last action need not be newer than this. */
const ACTION_MS = 400;

export function newGathering({ onSubjects, onLogs, onActions }: Told): Gathering {
  const subjects = newPile(GATHER_MS, onSubjects);
  const logs = newPile(LOG_MS, onLogs);
  const actions = newPile(ACTION_MS, onActions);
  return {
    add(subject) {
      if (subject.kind === "events") {
        logs.add(subject);
        actions.add(subject);
      } else subjects.add(subject);
    },
    close() {
      for (const pile of [subjects, logs, actions]) pile.close();
    },
  };
}

/** Each once, so long after the first of them, and after those before are done with. */
function newPile<S extends Subject>(
  ms: number,
  onPile: (all: readonly S[]) => Promise<void> | void,
) {
  let pile = new Map<string, S>();
  let timer: NodeJS.Timeout | undefined;
  let isBusy = false;
  let isClosed = false;
  const start = (): void => {
    isBusy = true;
    timer = setTimeout(() => void tell(), ms);
  };
  const tell = async (): Promise<void> => {
    const all = [...pile.values()];
    pile = new Map();
    await onPile(all);
    isBusy = false;
    if (pile.size > 0 && !isClosed) start();
  };
  return {
    add(subject: S) {
      pile.set(subjectKey(subject), subject);
      if (!isBusy) start();
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
