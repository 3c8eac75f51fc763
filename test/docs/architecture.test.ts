// ARCHITECTURE.md and CONTRIBUTING.md lead people through the sources: every file they name exists.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../support/programs.ts";

it.each(["ARCHITECTURE.md", "CONTRIBUTING.md"])("%s names only files that are there", (page) => {
  const text = readFileSync(join(root, page), "utf8");
  const named = [...text.matchAll(/`(?<path>[\w./-]+\/[\w.-]+\.(?:ts|tsx|mjs|json))`/g)]
    .map(({ groups }) => groups?.["path"] ?? "")
    // What Saga writes into a project.
    .filter((path) => !path.startsWith("."));
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((path) => !isThere(path))).toEqual([]);
});

const isThere = (path: string): boolean =>
  [path, `src/${path}`].some((each) => existsSync(join(root, each)));
