// The output of the checks that lanes run, for the components that watch it. Only its end is kept: a suite may print
// megabytes, and the receipt of a failed check has the rest.

import type { FromPage, ToPage } from "../../protocol/messages.ts";

export interface OutputStore {
  readonly watch: (lane: string, listener: () => void) => () => void;
  readonly text: (lane: string) => string | undefined;
  readonly receive: (message: Extract<ToPage, { type: "output" }>) => void;
  /** For a new connection. */
  readonly followAgain: () => void;
}

interface Output {
  text: string | undefined;
  readonly listeners: Set<() => void>;
}

const MAX_CHARACTERS = 100_000;

export function createOutputStore(
  send: (message: FromPage) => void,
  nextFrame: (notify: () => void) => void,
): OutputStore {
  const outputs = new Map<string, Output>();
  const changed = new Set<Output>();
  return {
    text: (lane) => outputs.get(lane)?.text,
    watch(lane, listener) {
      const output = outputs.get(lane) ?? { text: undefined, listeners: new Set() };
      outputs.set(lane, output);
      output.listeners.add(listener);
      if (output.listeners.size === 1) send({ type: "follow-output", lane });
      return () => {
        output.listeners.delete(listener);
        if (output.listeners.size > 0) return;
        outputs.delete(lane);
        send({ type: "leave-output", lane });
      };
    },
    receive({ lane, isStart, text }) {
      const output = outputs.get(lane);
      if (output === undefined) return;
      output.text = tailOf(isStart ? text : (output.text ?? "") + text);
      const isFirst = changed.size === 0;
      changed.add(output);
      if (isFirst) nextFrame(notify);
    },
    followAgain() {
      for (const lane of outputs.keys()) send({ type: "follow-output", lane });
    },
  };

  function notify(): void {
    const all = [...changed];
    changed.clear();
    for (const { listeners } of all) for (const listener of listeners) listener();
  }
}

/** Whole lines, as far as there are any. */
function tailOf(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text;
  const tail = text.slice(-MAX_CHARACTERS);
  return tail.slice(tail.indexOf("\n") + 1);
}
