// Files that no tool may change when shell commands run in the sandbox: Claude Code reads commands from them
// (hooks, servers, skills) and runs those outside of the sandbox.

import { readingsOf, follow } from "./resolve.ts";
import { guessesIn, pathsIn } from "./tool-paths.ts";
import { below, rootsOf, lookalike } from "./roots.ts";
import { quote } from "./rules.ts";
import { isReader, type Scope, type ScopedCall, type ScopeVerdict } from "./scope.ts";

const COMMAND_SOURCES: ReadonlySet<string> = new Set([".claude", ".mcp.json"]);

/** For a call that the story's scope allows. */
export function judgeBesideSandbox(scope: Scope, { tool, input, cwd }: ScopedCall): ScopeVerdict {
  if (isReader(tool)) return { isAllowed: true };
  const path = [...pathsIn(input), ...guessesIn(input)].find((one) =>
    isCommandSource(scope, cwd, one),
  );
  if (path === undefined) return { isAllowed: true };
  const reason = `${tool} may not change ${quote(path)}: Claude Code reads commands from there and runs them outside of the sandbox. Leave it unchanged; if the work needs a change, ask with report_blocker.`;
  return { isAllowed: false, reason };
}

function isCommandSource(scope: Scope, cwd: string, path: string): boolean {
  const roots = rootsOf(scope);
  const readings = readingsOf(cwd, path);
  if ("because" in readings) return false;
  return readings.some((reading) => {
    const place = follow(reading, roots.project);
    if ("because" in place) return false;
    return [place.path, ...place.links].some((way) =>
      below(roots, scope.worktree, way)?.some((name) => COMMAND_SOURCES.has(lookalike(name))),
    );
  });
}
