// ARCHITECTURE.md and CONTRIBUTING.md lead people through the sources: what they name is there, and the map of the
// large folders leaves nothing out.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../support/programs.ts";

/** As many as can be taken in at a glance; more need a map. */
const MOST_WITHOUT_MAP = 30;

const architecture = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
const maps = mapsIn(architecture);

it.each(["ARCHITECTURE.md", "CONTRIBUTING.md"])("%s names only files that are there", (page) => {
  const text = readFileSync(join(root, page), "utf8");
  const named = [...text.matchAll(/`(?<path>[\w./-]+\/[\w.-]+\.(?:ts|tsx|mjs|json))`/g)]
    .map(({ groups }) => groups?.["path"] ?? "")
    // What Saga writes into a project.
    .filter((path) => !path.startsWith("."));
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((path) => !isThere(path))).toEqual([]);
});

describe("the map of", () => {
  it.each([...maps.keys()])("%s names each of its files once, and no other", (folder) => {
    expect(maps.get(folder)?.toSorted()).toEqual(sourcesIn(folder).toSorted());
  });

  it("every large folder is there", () => {
    const large = readdirSync(join(root, "src"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
      .filter((folder) => sourcesIn(folder).length > MOST_WITHOUT_MAP);
    // A command is in the file of its own name.
    expect(large.filter((folder) => !maps.has(folder))).toEqual(["src/cli/commands"]);
  });
});

const isThere = (path: string): boolean =>
  [path, `src/${path}`].some((each) => existsSync(join(root, each)));

const sourcesIn = (folder: string): string[] =>
  readdirSync(join(root, folder))
    .filter((name) => /\.tsx?$/.test(name) && !/\.(?:test|d)\.tsx?$/.test(name))
    .map((name) => name.replace(/\.tsx?$/, ""));

/** `<!-- map: folder -->`, and a table of subjects with the names of files. */
function mapsIn(page: string): ReadonlyMap<string, readonly string[]> {
  const found = page.matchAll(/<!-- map: (?<folder>[\w/]+) -->\n\n(?<table>(?:\|.*\n)+)/g);
  return new Map(
    [...found].map(({ groups }) => {
      const [, , ...rows] = (groups?.["table"] ?? "").trim().split("\n");
      const files = rows.map((row) => row.split("|").slice(2).join("|")).join("\n");
      const names = [...files.matchAll(/`(?<name>[\w-]+)`/g)].map((one) => one.groups?.["name"]);
      return [groups?.["folder"] ?? "", names.filter((name) => name !== undefined)];
    }),
  );
}
