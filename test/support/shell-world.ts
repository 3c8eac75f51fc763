// A story's worktree with everything around it that a shell command could reach, and the guard's verdict on a command.

import { dirname, join } from "node:path";
import { onTestFinished, vi } from "vitest";
import type { Scope } from "../../src/agent/scope/scope.ts";
import { judgeCommand } from "../../src/agent/shell/guard.ts";
import { newFolder } from "./project.ts";

/** The reason of a refusal without folder names, or `allowed`. */
export function verdict(text: string): string {
  const scope = newWorld();
  const folders = new Map([
    ["$W", scope.worktree],
    ["$P", scope.project],
    ["$O", OUTSIDE],
    ["$T", join(dirname(scope.project), "temporary")],
  ]);
  // `$PWD`, `$HOME` and `$TMPDIR` are the shell's.
  const command = text.replaceAll(/\$[WPOT]\b/g, (name) => folders.get(name) ?? name);
  const answer = judgeCommand(scope, { tool: "Bash", input: { command }, cwd: scope.worktree });
  if (answer.isAllowed) return "allowed";
  return [...folders].reduce((sum, [name, folder]) => sum.replaceAll(folder, name), answer.reason);
}

/** An empty path that is not one of the test's temporary folders. */
const OUTSIDE = "/saga-outside";

export function newWorld(): Scope {
  const { path: project, write, link } = newFolder("project");
  vi.stubEnv("HOME", join(OUTSIDE, "home"));
  onTestFinished(() => void vi.unstubAllEnvs());
  const own = ".saga/worktrees/login";
  for (const worktree of [own, ".saga/worktrees/other"]) write(`${worktree}/.git`, "gitdir: x");
  for (const folder of ["", `${own}/`]) {
    write(`${folder}src/a.ts`, "");
    write(`${folder}.saga/stories/other/story.json`, "");
  }
  write(".git/HEAD", "ref: refs/heads/next\n");
  write(`${own}/vendor/sub/.git`, "gitdir: x");
  write(`${own}/bare.git/HEAD`, "");
  write("cache/x", "");
  write("node_modules/lib/index.js", "");
  for (const [file, target] of Object.entries({
    out: OUTSIDE,
    "out-file": join(OUTSIDE, "file"),
    "inward-out": join(OUTSIDE, "deep"),
    main: "../../..",
    node_modules: "../../../node_modules",
    cache: "../../../cache",
    loop: "loop",
  })) {
    link(`${own}/${file}`, target);
  }
  const readable = [join(project, "node_modules")];
  return { project, worktree: join(project, own), storyId: "login", readable };
}
