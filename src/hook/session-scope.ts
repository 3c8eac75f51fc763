// The scope of a session in a story's worktree is that of its story. In the main checkout there is none.

import { dirname, join, resolve } from "node:path";
import { follow } from "../agent/scope/resolve.ts";
import type { Scope, ScopedCall, ScopeVerdict } from "../agent/scope/scope.ts";
import { readText } from "../machine/files/files.ts";
import { realStateFolder } from "../machine/files/state-folder.ts";
import { gitDirIn } from "../machine/programs/common-dir.ts";
import { denial, type HookAnswer, type HookCall } from "./hook.ts";

export function judgeSession(
  call: HookCall,
  judge: (scope: Scope, call: ScopedCall) => ScopeVerdict,
): HookAnswer {
  const { input, place } = call;
  const { storyId } = place;
  const { cwd } = input;
  if (storyId === undefined) return undefined;
  const scope = scopeOf(call, storyId);
  const verdict = judge(scope, {
    tool: String(input["tool_name"]),
    input: input["tool_input"],
    cwd: typeof cwd === "string" ? cwd : place.checkout,
  });
  return verdict.isAllowed ? undefined : denial(verdict.reason);
}

/** Folders outside the worktree are only looked up when a path leads outside. */
const scopeOf = (call: HookCall, storyId: string): Scope => {
  const { project, checkout } = call.place;
  let linked: readonly string[] | undefined;
  return {
    project,
    worktree: checkout,
    storyId,
    hidden: [realStateFolder(call.env)],
    get readable() {
      return (linked ??= linkedFiles(checkout).map((path) => join(project, path)));
    },
    get writable() {
      return ownFolders(call);
    },
  };
};

/**
 * The folders where a session of Claude Code keeps its plans, notes and temporary files. Its settings, plugins and
 * task lists are beside them, and not included.
 */
function ownFolders({ input, env }: HookCall): string[] {
  const { transcript_path: transcript } = input;
  const config = env["CLAUDE_CONFIG_DIR"] || join(env["HOME"] ?? "/", ".claude");
  const folders = [join(config, "plans"), `/tmp/claude-${process.getuid?.() ?? 0}`];
  if (typeof transcript === "string") folders.push(join(dirname(transcript), "memory"));
  // On a Mac `/tmp` is a link, and the settings folder may be one: paths are compared with links followed.
  return folders.map((folder) => {
    const place = follow(folder, undefined);
    return "because" in place ? folder : place.path;
  });
}

/** The files that the worker linked into the worktree, from its list in the git directory. */
function linkedFiles(checkout: string): string[] {
  const gitDir = gitDirIn(textIn(join(checkout, ".git")) ?? "");
  const list = gitDir && textIn(join(resolve(checkout, gitDir), "saga-links"));
  return list?.split("\n").filter((path) => path !== "") ?? [];
}

/** Undefined also for a folder: `.git` is one in the main checkout. Without a list, the scope is stricter. */
function textIn(file: string): string | undefined {
  try {
    return readText(file);
  } catch {
    return undefined;
  }
}
