// The orderly end of an agent whose budget is spent: its next tool call tells it so, a few more calls let it bring its
// files into a state that can be committed, and then every call is refused.

export interface Drain {
  /** `isShared`: others spend the same budget. The first reason counts. */
  readonly start: (reason: string, isShared: boolean) => void;
  readonly state: () => DrainState | undefined;
  /** For the agent, once. */
  readonly note: () => string | undefined;
  /** Counts a tool call of the drain. Returns whether it was the last one. */
  readonly called: () => boolean;
}

export interface DrainState {
  readonly reason: string;
  readonly isShared: boolean;
}

/** Enough to finish an edit, run a check and complete a task. */
const MAX_CALLS = 10;
/** The part of its limit that an agent may spend beyond it to end in an orderly way. */
const OVERDRAFT = 0.1;

export const isOverdrawn = (maxCostUsd: number, spentUsd: number): boolean =>
  spentUsd >= maxCostUsd * (1 + OVERDRAFT);

/** Every tool call after the last one is refused with this sentence. */
export const DRAINED = "The budget is spent. End your turn now; Saga commits your changes.";

export function newDrain(): Drain {
  let state: DrainState | undefined;
  let isNoted = false;
  let calls = 0;
  return {
    start(reason, isShared) {
      state ??= { reason, isShared };
    },
    state: () => state,
    note() {
      if (state === undefined || isNoted) return undefined;
      isNoted = true;
      return drainNote(state.reason);
    },
    called: () => state !== undefined && ++calls >= MAX_CALLS,
  };
}

const drainNote = (reason: string): string =>
  `${reason} Start nothing new. Bring your files into a state that can be committed, complete the task if its work is done, then end your turn. You have at most ${MAX_CALLS} more tool calls. Saga commits your changes, and a later run continues from there.`;
