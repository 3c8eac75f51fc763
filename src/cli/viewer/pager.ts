// Shows a long text in the person's pager, as git does. Without a terminal or a pager it is written as it is.

import { spawnSync } from "node:child_process";
import type { Io } from "../program/io.ts";

/** Quit if it fits on the screen, keep colours, leave the text on the screen. */
const LESS = "FRX";
const NOT_FOUND = 127;

export function writePaged(io: Io, text: string): void {
  const pager = io.env["SAGA_PAGER"] ?? io.env["GIT_PAGER"] ?? io.env["PAGER"] ?? "less";
  if (!io.isTerminal || pager === "" || pager === "cat") return io.writeOut(text);
  // Through a shell, as git does: people set `less -S`. The text goes to its standard input.
  const { status } = spawnSync("/bin/sh", ["-c", pager], {
    input: text,
    stdio: ["pipe", "inherit", "inherit"],
    env: { LESS, LV: "-c", ...io.env },
    cwd: io.cwd,
  });
  if (status === NOT_FOUND) io.writeOut(text);
}
