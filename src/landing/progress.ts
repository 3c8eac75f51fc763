// Shows people what a lander does, and the output of the check that runs.

import { appendFileSync, writeFileSync } from "node:fs";
import { messageOf } from "../errors.ts";
import type { Lane } from "../story/landing/entry.ts";
import type { LandingNow } from "../story/landing/history.ts";
import type { LaneContext, LandingWork } from "./landing.ts";

export interface Progress {
  readonly step: (name: "read" | "combine" | "verify" | "record" | "advance") => void;
  /** The last candidate is known. */
  readonly composed: (tip: string, inTip: readonly string[]) => void;
  readonly onCheck: (command: string, candidate: number) => void;
  readonly onRed: () => void;
  readonly onOutput: (chunk: Buffer) => void;
}

/** Shows people what the lander does. A failure to write that stops nothing. */
export function newProgress(
  { store: { queue }, now, onWarning }: LaneContext,
  lane: Lane,
  works: readonly LandingWork[],
): Progress {
  const entries = works.map(({ entry }) => entry.name);
  const startedAt = new Date(now()).toISOString();
  const output = queue.outputFile(lane);
  let known: Pick<LandingNow, "tip" | "inTip" | "isRed"> = {};
  let last: Pick<LandingNow, "step" | "command" | "candidate" | "output"> = { step: "compose" };
  const show = (step: typeof last): void => {
    last = step;
    void queue
      .setNow(lane, { entries, startedAt, ...known, ...step })
      .catch((error: unknown) => onWarning?.(messageOf(error)));
  };
  const attempt = (act: () => void): void => {
    try {
      act();
    } catch {
      // The output is also in the receipt.
    }
  };
  return {
    step(name) {
      if (name === "read") known = {};
      show({ step: STEPS[name] });
    },
    composed(tip, inTip) {
      known = { tip, inTip: [...inTip] };
      show({ step: "verify" });
    },
    onRed() {
      known = { ...known, isRed: true };
      show(last);
    },
    onCheck(command, candidate) {
      attempt(() => writeFileSync(output, ""));
      show({ step: "verify", command, candidate, output });
    },
    onOutput: (chunk) => attempt(() => appendFileSync(output, chunk)),
  };
}

const STEPS = {
  read: "compose",
  combine: "compose",
  verify: "verify",
  record: "land",
  advance: "land",
} as const;
