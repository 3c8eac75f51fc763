// What a run records. The store keeps it; workers and agents are given one.

import type { StoryEvent } from "./story-event.ts";
import type { Run } from "./run.ts";

export interface RunRecord {
  readonly run: () => Run;
  readonly note: (event: StoryEvent, options?: { readonly isDurable?: boolean }) => void;
  readonly warn: (message: string) => void;
  /** For text that is written elsewhere. */
  readonly redact: (text: string) => string;
  readonly update: (change: Partial<Run>, options?: { readonly isDurable?: boolean }) => void;
  readonly agentStarted: (agent: NonNullable<Run["worker"]>) => void;
  /** Runs a step of the worker, and records its time and result. */
  readonly step: <T>(
    name: string,
    act: () => Promise<T>,
    about: (result: T) => string,
  ) => Promise<T>;
  readonly close: () => void;
}
