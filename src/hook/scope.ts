// PreToolUse: keeps a session in a story's worktree inside its story. In the main checkout a person
// works as they like.

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { judgeToolCall, type Scope } from "../claude/scope.ts";
import { ifThere } from "../machine/files.ts";
import type { Surroundings } from "../store/surroundings.ts";
import { denial, runHook } from "./hook.ts";

void runHook(({ input, place }) => {
  const { storyId } = place;
  const { cwd } = input;
  if (storyId === undefined) return undefined;
  const verdict = judgeToolCall(scopeOf(place, storyId), {
    tool: String(input["tool_name"]),
    input: input["tool_input"],
    cwd: typeof cwd === "string" ? cwd : place.checkout,
  });
  return verdict.isAllowed ? undefined : denial(verdict.reason);
});

const scopeOf = ({ project, checkout }: Surroundings, storyId: string): Scope => ({
  project,
  worktree: checkout,
  storyId,
  readable: linkedFiles(checkout).map((path) => join(project, path)),
});

/** What the worker has linked into the worktree, as it wrote it down beside git's own. */
function linkedFiles(checkout: string): string[] {
  const git = ifThere(() => readFileSync(join(checkout, ".git"), "utf8").trim());
  const gitDir = git?.startsWith("gitdir: ") ? resolve(checkout, git.slice(8)) : undefined;
  const list = gitDir && ifThere(() => readFileSync(join(gitDir, "saga-links"), "utf8"));
  return list?.split("\n").filter((path) => path !== "") ?? [];
}
