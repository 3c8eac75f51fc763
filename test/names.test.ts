import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "./support/programs.ts";

it("declares every exported type name once", () => {
  expect(duplicatesIn(sourceTexts())).toEqual([]);
});

it("would notice a name that is declared twice", () => {
  const texts = new Map([
    ["a.ts", "export interface Place {}\ninterface Options {}\n"],
    ["b.ts", "interface Options {}\nexport type Place = string;\n"],
  ]);
  expect(duplicatesIn(texts)).toEqual(["Place: a.ts, b.ts"]);
});

function duplicatesIn(texts: ReadonlyMap<string, string>): string[] {
  const files = new Map<string, string[]>();
  for (const [file, text] of texts) {
    for (const [, name = ""] of text.matchAll(/^export (?:interface|type|enum|class) (\w+)/gm)) {
      files.set(name, [...(files.get(name) ?? []), file]);
    }
  }
  return [...files]
    .filter(([, places]) => places.length > 1)
    .map(([name, places]) => `${name}: ${places.join(", ")}`);
}

function sourceTexts(): Map<string, string> {
  const names = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" });
  const sources = names.filter((name) => /\.tsx?$/.test(name) && !name.endsWith(".test.ts"));
  return new Map(sources.map((name) => [name, readFileSync(join(root, "src", name), "utf8")]));
}

/** Words that a first reader has to translate, and the glossary's word for each. */
const BANNED: Readonly<Record<string, string>> = {
  told: "reported, delivered",
  said: "printed, sent, text",
  spoken: "output",
  heard: "received",
  fault: "problem",
  faults: "problems",
  objection: "blocker",
  patience: "max wait",
  standing: "readiness",
  whoever: "name the one",
  nobody: "no one, or name the missing one",
  mend: "fix",
  mended: "fixed",
  furnish: "provision",
  anew: "again",
};

it("names nothing with a word that the glossary replaces", () => {
  const files = ["src", "test", "bench", "scripts"].flatMap((folder) => codeIn(folder));
  // What a fleet is broken with on purpose, and a field of `saga recover --json`.
  const isAllowed = (found: string): boolean =>
    /fleet-chaos|recover\/recover(?:\.test)?\.ts: faults/.test(found);
  expect(files.flatMap(bannedIn).filter((found) => !isAllowed(found))).toEqual([]);
});

it("would notice such a name, and not the same word in a sentence", () => {
  const text = 'const toldNotes = "they said so"; // nobody\n/** Whoever. */ const x = /faults/;\n';
  expect(bannedIn(["a.ts", text])).toEqual(["a.ts: toldNotes (better: reported, delivered)"]);
});

function bannedIn([file, text]: readonly [string, string]): string[] {
  const code = text.replaceAll(
    /\/\*[^]*?\*\/|\/\/.*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`|\/(?:[^/\\\n ]|\\.)+\//g,
    "",
  );
  const names = new Set(code.match(/[A-Za-z_$][\w$]*/g));
  return [...names].flatMap((name) => {
    const parts = name
      .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
      .toLowerCase()
      .split("_");
    const banned = parts.find((part) => Object.hasOwn(BANNED, part));
    return banned === undefined ? [] : [`${file}: ${name} (better: ${BANNED[banned]})`];
  });
}

const codeIn = (folder: string): (readonly [string, string])[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(?:tsx?|mjs|cjs)$/.test(name) && name !== "names.test.ts")
    .map((name) => [`${folder}/${name}`, readFileSync(join(root, folder, name), "utf8")] as const);
