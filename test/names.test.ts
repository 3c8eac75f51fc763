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
