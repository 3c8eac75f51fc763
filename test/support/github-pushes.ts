// What GitHub does with open pull requests after a push. It sees a push a moment later: after it has answered the
// next request.

import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { GithubServer, ServerPull } from "./github-server.ts";

export function seePushes(github: GithubServer, bare: string): void {
  const log = join(bare, "pushes");
  const hook = join(bare, "hooks/post-receive");
  writeFileSync(hook, "#!/bin/sh\ncat >> pushes\n");
  chmodSync(hook, 0o755);
  const heads = new Map<ServerPull, string>();
  github.trouble.after = () => {
    if (!existsSync(log)) return;
    const pushes = readFileSync(log, "utf8").trim().split("\n");
    rmSync(log);
    const open = github.pulls.filter(({ state }) => state === "open");
    for (const pull of open) {
      const head = commitOf(bare, pull.head);
      if (head !== undefined) heads.set(pull, head);
      // A branch that is deleted before its merge was seen: GitHub shows that as closed.
      else pull.state = "closed";
    }
    for (const pull of open) {
      const isPushed = pushes.some((line) => line.endsWith(` refs/heads/${pull.base}`));
      const head = heads.get(pull);
      if (pull.state !== "open" || !isPushed || head === undefined) continue;
      if (!isAncestor(bare, head, pull.base)) continue;
      Object.assign(pull, { state: "closed", merged_at: "2026-11-18T04:00:00Z" });
    }
  };
}

function commitOf(bare: string, branch: string): string | undefined {
  const words = ["-C", bare, "for-each-ref", "--format=%(objectname)", `refs/heads/${branch}`];
  return execFileSync("git", words, { encoding: "utf8" }).trim() || undefined;
}

function isAncestor(bare: string, commit: string, branch: string): boolean {
  try {
    execFileSync("git", ["-C", bare, "merge-base", "--is-ancestor", commit, branch]);
    return true;
  } catch {
    return false;
  }
}
