// Runs the `saga` program inside this process, so that it gets signals and sets the exit code.

import { realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { locateProgram } from "./locate-program.ts";

export function startProgram(...firstWords: string[]): void {
  const [node = "", script = "", ...words] = process.argv;
  try {
    const program = locateProgram(dirname(dirname(realpathSync(script))), process.env);
    if (program === undefined) throw new Error(MISSING);
    process.argv = [node, program, ...firstWords, ...words];
    createRequire(program)(program);
  } catch (error) {
    process.stderr.write(`saga: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

const MISSING = `Cannot find the program of this plugin.
Add its marketplace again (/plugin marketplace add), or install the npm package @saga-run/saga.`;
