// Takes what changes together together. A change of one story is several files within milliseconds, and a log
// grows by fifty lines a second: each is told once, a moment later.

import { subjectKey, type Subject } from "./subject.ts";

export type LogSubject = Extract<Subject, { kind: "events" }>;

export interface Gathering {
  readonly add: (subject: Subject) => void;
  readonly close: () => void;
}

interface Told {
  readonly onSubjects: (subjects: readonly Subject[]) => void;
  /** Logs that have grown, for those who follow them. */
  readonly onLogs: (logs: readonly LogSubject[]) => void;
  /** The same for the cards. */
  readonly onActions: (logs: readonly LogSubject[]) => void;
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

/** Each once, so long after the first of them. */
function newPile<S extends Subject>(ms: number, onPile: (all: readonly S[]) => void) {
  let pile = new Map<string, S>();
  let timer: NodeJS.Timeout | undefined;
  const tell = (): void => {
    const all = [...pile.values()];
    pile = new Map();
    onPile(all);
  };
  return {
    add(subject: S) {
      if (pile.size === 0) timer = setTimeout(tell, ms);
      pile.set(subjectKey(subject), subject);
    },
    close: () => clearTimeout(timer),
  };
}
