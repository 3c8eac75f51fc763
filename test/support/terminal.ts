// A person at a terminal, who starts something there, sees it, and leaves with Ctrl-b d.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

interface Desk {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly home: string;
  readonly place: string;
}

const LIMIT_MS = 60_000;

/** In a tmux server of its own, separate from the one that is watched. */
export async function inTerminal(
  command: string,
  seen: string,
  { cwd, env, home, place }: Desk,
): Promise<{ readonly output: string }> {
  const tmux = (...words: string[]): string =>
    spawnSync("tmux", ["-S", join(home, "desk"), "-f", "/dev/null", ...words], {
      cwd,
      env,
      encoding: "utf8",
    }).stdout;
  // Inside tmux, attaching would switch the session instead.
  tmux("new-session", "-d", "-s", "desk", "-x", "120", "-y", "30", `unset TMUX; ${command}`);
  tmux("set-option", "-t", "desk", "remain-on-exit", "on");
  const screen = (): string => tmux("capture-pane", "-p", "-t", "desk");
  const isOver = (): boolean =>
    tmux("display-message", "-p", "-t", "desk", "#{pane_dead}").trim() !== "0";
  const until = async (isSo: () => boolean, what: string): Promise<void> => {
    for (const deadline = Date.now() + LIMIT_MS; !isSo(); await wait(50)) {
      if (Date.now() > deadline) throw new Error(`${place}: ${what}:\n${screen()}`);
    }
  };
  try {
    await until(() => screen().includes(seen), `\`${command}\` does not show ${seen}`);
    const output = screen();
    tmux("send-keys", "-t", "desk", "C-b", "d");
    await until(isOver, `\`${command}\` cannot be left`);
    return { output };
  } finally {
    tmux("kill-server");
  }
}
