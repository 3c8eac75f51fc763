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
  wall: "usage limit",
  husk: "incomplete",
  heir: "next owner",
  claimant: "owner",
  mishap: "problem",
  troubles: "findings",
  handed: "hand back, handover",
  stands: "is",
  somebody: "name the one",
  anybody: "name the one",
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

/** Phrases that a first reader has to read twice; "nobody" and "go on" may be data of a test. */
const DIALECT =
  /\b(?:whoever|somebody|anybody|anew|goes on|went on|let pass|comes? to (?:pass|an end|its end|rest|nothing)|furnish\w*|mend(?:s|ed|ing)?)\b/i;

it("says nothing in the dialect of the first versions: comments, messages, names of tests, docs", () => {
  const texts = ["src", "test", "bench", "scripts"].flatMap((folder) => codeIn(folder));
  expect([...texts, ...pages()].flatMap(dialectIn)).toEqual([]);
});

it("would notice such a phrase", () => {
  expect(dialectIn(["a.md", "One line.\nThe work goes on.\n"])).toEqual([
    "a.md:2: The work goes on.",
  ]);
});

const dialectIn = ([file, text]: readonly [string, string]): string[] =>
  text
    .split("\n")
    .flatMap((line, index) => (DIALECT.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : []));

const pages = (): (readonly [string, string])[] =>
  ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "docs", "plugin/skills"].flatMap((place) =>
    place.endsWith(".md")
      ? [[place, readFileSync(join(root, place), "utf8")] as const]
      : readdirSync(join(root, place), { recursive: true, encoding: "utf8" })
          .filter((name) => name.endsWith(".md"))
          .map(
            (name) => [`${place}/${name}`, readFileSync(join(root, place, name), "utf8")] as const,
          ),
  );

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
