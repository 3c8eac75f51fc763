// Shows a result again and again until Ctrl-C: in place on a terminal; with --json a line for each change.

import { pause } from "../../machine/processes/timer.ts";
import type { CommandResult } from "../program/command.ts";
import type { Io } from "../program/io.ts";
import { painter } from "../output/terminal.ts";
import { stampOf } from "../output/timestamp.ts";
import { liveBlock } from "./live-block.ts";

const EVERY_MS = 2_000;

interface Watched {
  readonly json: boolean;
  readonly read: () => Promise<CommandResult>;
  readonly everyMs?: number;
}

export async function watchResult(
  io: Io,
  { json: isJson, read, everyMs = EVERY_MS }: Watched,
): Promise<CommandResult> {
  const stop = io.untilStopped();
  const paint = painter(io.hasColour);
  const block = liveBlock({ write: io.writeOut, rows: () => io.rows ?? DEFAULT_ROWS });
  let last = "";
  try {
    for (;;) {
      const { json, text } = await read();
      const shown = isJson ? `${JSON.stringify(json)}\n` : text(paint);
      if (!isJson && io.isTerminal) {
        const now = Date.now();
        const head = paint("dim", `${stampOf(new Date(now).toISOString(), now)}  Ctrl-C to leave`);
        block.draw([head, "", ...shown.trimEnd().split("\n")]);
      } else if (shown !== last) io.writeOut(shown);
      last = shown;
      await pause(everyMs, stop);
      if (stop.aborted) break;
    }
  } finally {
    // The terminal shows ^C behind the last line.
    if (!isJson && io.isTerminal) io.writeOut("\n");
    block.end();
  }
  return { json: undefined, text: () => "" };
}

const DEFAULT_ROWS = 24;
