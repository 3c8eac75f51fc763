// Every push that a bare remote accepted, with all refs that it moved at once: a hook there writes them down.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface RefMove {
  readonly from: string;
  readonly to: string;
  readonly ref: string;
}

export interface PushLog {
  /** The moves of each push. */
  readonly read: () => readonly (readonly RefMove[])[];
}

export function logPushes(remote: string): PushLog {
  const file = join(remote, "pushes.log");
  // One write for each push, so that two at once do not mix.
  const hook = `#!/bin/sh\nall=$(cat)\nprintf '%s\\n\\n' "$all" >> '${file}'\n`;
  writeFileSync(join(remote, "hooks/post-receive"), hook, { mode: 0o755 });
  return {
    read: () => (existsSync(file) ? pushesIn(readFileSync(file, "utf8")) : []),
  };
}

const pushesIn = (text: string): RefMove[][] =>
  text
    .split("\n\n")
    .filter((part) => part.trim() !== "")
    .map((part) =>
      part
        .trim()
        .split("\n")
        .map((line) => {
          const [from = "", to = "", ref = ""] = line.split(" ");
          return { from, to, ref };
        }),
    );
