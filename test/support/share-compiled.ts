// A new home has no compiled code, and compiling takes a tenth of the processor time of tests that start the built program.

import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import { stateFolder } from "../../src/machine/files/state-folder.ts";
import type { Environment } from "../../src/machine/processes/environment.ts";

/** Lets programs with this environment use the compiled code of the others in this run of the tests. */
export function shareCompiledCode(env: Environment): void {
  const folder = stateFolder(env);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  symlinkSync(inject("compiledFolder"), join(folder, "compiled"));
}
