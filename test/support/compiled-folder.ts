// A folder for the compiled code of the built program, for one run of the tests.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    readonly compiledFolder: string;
  }
}

export function setup({ provide }: Pick<TestProject, "provide">): () => void {
  const folder = mkdtempSync(join(tmpdir(), "saga-compiled-"));
  provide("compiledFolder", folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
