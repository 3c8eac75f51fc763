// Records a terminal: types a command into a real shell in a real tmux, and notes when each line appears first.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** @typedef {{ readonly atMs: number, readonly text: string }} SeenLine With its colours. */

const LOOK_EVERY_MS = 40;

/**
 * @param {{ command: string, path: string, columns: number, last: string, limitMs: number }} wanted
 *   `last` is in the line by which it is over.
 * @returns {Promise<SeenLine[]>}
 */
export async function record({ command, path, columns, last, limitMs }) {
  const folder = mkdtempSync(join(tmpdir(), "saga-cast-"));
  const env = { PATH: path, HOME: folder, LANG: "C.UTF-8", TERM: "xterm-256color" };
  const tmux = (/** @type {string[]} */ ...words) =>
    spawnSync("tmux", ["-S", join(folder, "tmux"), "-f", "/dev/null", ...words], {
      env,
      encoding: "utf8",
    }).stdout;
  try {
    const size = ["-x", String(columns), "-y", "50"];
    tmux("new-session", "-d", "-s", "cast", ...size, "sh");
    tmux("set-option", "-g", "history-limit", "5000");
    const screen = () => linesOf(tmux("capture-pane", "-e", "-p", "-S", "-", "-t", "cast"));
    const type = (/** @type {string} */ text) => {
      tmux("send-keys", "-t", "cast", "-l", text);
      tmux("send-keys", "-t", "cast", "Enter");
    };
    // The screen starts with a plain prompt, whatever the user's shell is.
    type("PS1='$ '; clear");
    while (screen().join("\n") !== "$") await wait(LOOK_EVERY_MS);
    tmux("clear-history", "-t", "cast");
    type(command);
    /** @type {number[]} */
    const seenAt = [];
    const begun = Date.now();
    for (;;) {
      const lines = screen();
      while (seenAt.length < lines.length) seenAt.push(Date.now() - begun);
      if (lines.some((line) => line.includes(last))) {
        const end = lines.findIndex((line) => line.includes(last));
        return lines.slice(0, end + 1).map((text, at) => ({ atMs: seenAt[at] ?? 0, text }));
      }
      if (Date.now() - begun > limitMs) throw new Error(`It does not end:\n${lines.join("\n")}`);
      await wait(LOOK_EVERY_MS);
    }
  } finally {
    tmux("kill-server");
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} screen */
const linesOf = (screen) => screen.trimEnd().split("\n");
