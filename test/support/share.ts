// Every place where something can be killed is more than fits beside the other tests. `npm run torture`
// goes through all of them; `npm test` through a third, another one with each commit.

import { execFileSync } from "node:child_process";
import { root } from "./programs.ts";

const PARTS = 3;

export function shareOf<T>(all: readonly T[]): T[] {
  if (process.env["SAGA_TORTURE"] === "full") return [...all];
  const turn = commitCount() % PARTS;
  return all.filter((_, at) => at % PARTS === turn);
}

function commitCount(): number {
  try {
    const count = execFileSync("git", ["rev-list", "--count", "HEAD"], { cwd: root });
    return Number(count.toString());
  } catch {
    // A copy without its history.
    return 0;
  }
}
