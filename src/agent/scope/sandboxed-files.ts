// What file tools may not change beside the sandbox: Claude Code takes commands from these places (hooks, servers,
// skills), and runs them outside of it. What a shell command may not write there, no other tool may either.

import { readingsOf, follow } from "./resolve.ts";
import { guessesIn, pathsIn } from "./tool-paths.ts";
import { below, groundOf, lookalike } from "./roots.ts";
import { quote } from "./rules.ts";
import { isReader, type Scope, type ScopedCall, type ScopeVerdict } from "./scope.ts";

const TAKEN_FROM: ReadonlySet<string> = new Set([".claude", ".mcp.json"]);

/** Of a call that the story's scope allows. */
export function judgeBesideSandbox(scope: Scope, { tool, input, cwd }: ScopedCall): ScopeVerdict {
  if (isReader(tool)) return { isAllowed: true };
  const path = [...pathsIn(input), ...guessesIn(input)].find((one) => leadsThere(scope, cwd, one));
  if (path === undefined) return { isAllowed: true };
  const reason = `${tool} may not change ${quote(path)}: Claude Code takes commands from there, which would run outside of the sandbox. Leave it as it is; if the work needs it, ask with report_blocker.`;
  return { isAllowed: false, reason };
}

function leadsThere(scope: Scope, cwd: string, path: string): boolean {
  const ground = groundOf(scope);
  const readings = readingsOf(cwd, path);
  if ("because" in readings) return false;
  return readings.some((reading) => {
    const place = follow(reading, ground.project);
    if ("because" in place) return false;
    return [place.path, ...place.links].some((way) =>
      below(ground, scope.worktree, way)?.some((name) => TAKEN_FROM.has(lookalike(name))),
    );
  });
}
