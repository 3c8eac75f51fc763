// Pages that lead people through the sources: every file they name exists.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../support/programs.ts";

const DECISIONS = ["writing", "ownership", "agents", "landing", "dashboard", "packaging"];
const PAGES = [
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  ...DECISIONS.map((name) => `docs/decisions/${name}.md`),
];

it.each(PAGES)("%s names only files that are there", (page) => {
  const text = readFileSync(join(root, page), "utf8");
  const named = [...text.matchAll(/`(?<path>[\w./-]+\/[\w.-]+\.(?:ts|tsx|mjs|json))`/g)]
    .map(({ groups }) => groups?.["path"] ?? "")
    // What Saga writes into a project.
    .filter((path) => !path.startsWith("."));
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((path) => !isThere(path))).toEqual([]);
});

const isThere = (path: string): boolean =>
  [path, `src/${path}`].some((each) => existsSync(join(root, each)));

it("ARCHITECTURE.md stays one page", () => {
  const text = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
  expect(Buffer.byteLength(text)).toBeLessThan(8192);
});
