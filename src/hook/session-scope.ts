// The scope of a session: its story's, in a story's worktree. In the main checkout a person works as
// they like.

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Scope, ToolCall, Verdict } from "../claude/scope.ts";
import type { Surroundings } from "../store/surroundings.ts";
import { denial, type HookAnswer, type HookCall } from "./hook.ts";

export function judgeSession(
  { input, place }: HookCall,
  judge: (scope: Scope, call: ToolCall) => Verdict,
): HookAnswer {
  const { storyId } = place;
  const { cwd } = input;
  if (storyId === undefined) return undefined;
  const verdict = judge(scopeOf(place, storyId), {
    tool: String(input["tool_name"]),
    input: input["tool_input"],
    cwd: typeof cwd === "string" ? cwd : place.checkout,
  });
  return verdict.isAllowed ? undefined : denial(verdict.reason);
}

const scopeOf = ({ project, checkout }: Surroundings, storyId: string): Scope => ({
  project,
  worktree: checkout,
  storyId,
  readable: linkedFiles(checkout).map((path) => join(project, path)),
});

/** What the worker has linked into the worktree, as it wrote it down beside git's own. */
function linkedFiles(checkout: string): string[] {
  const git = textIn(join(checkout, ".git"))?.trim();
  const gitDir = git?.startsWith("gitdir: ") ? resolve(checkout, git.slice(8)) : undefined;
  const list = gitDir && textIn(join(gitDir, "saga-links"));
  return list?.split("\n").filter((path) => path !== "") ?? [];
}

/** In the main checkout `.git` is a folder. Whatever is wrong with a list, the scope holds without. */
function textIn(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
