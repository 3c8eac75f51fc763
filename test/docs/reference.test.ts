import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { commandsToShow } from "../../scripts/reference/commands.ts";
import { referencePages } from "../../scripts/reference/pages.ts";
import { helpOf } from "../../src/cli/program/command.ts";
import { root } from "../support/programs.ts";

const pages = await referencePages();

describe("the reference", () => {
  it.each([...pages.keys()])("%s is what the code says", (path) => {
    const isFresh = readFileSync(join(root, path), "utf8") === pages.get(path);
    expect(isFresh, `${path} is old: run \`npm run reference\``).toBe(true);
  });
});

const commands = await commandsToShow();
const examples = commands.flatMap(examplesOf);

it("has several examples for each command", () => {
  expect(examples.length).toBeGreaterThan(2 * commands.length);
});

it.each(examples)("shows an example that Saga takes: %s", (example) => {
  const [, name = "", ...words] = wordsOf(example);
  const command = commands.find((one) => one.name() === name);
  // Silenced, and with nothing to do: only the words are looked at.
  command?.commands.concat(command).forEach((one) => {
    one.exitOverride().configureOutput({ writeErr: () => undefined });
    one.action(() => undefined);
  });
  expect(command, example).toBeDefined();
  expect(() => command?.parse(words, { from: "user" })).not.toThrow();
});

function examplesOf(command: Command): string[] {
  const { examples: own } = helpOf(command);
  return [...own, ...command.commands.flatMap(examplesOf)].filter((line) =>
    line.startsWith("saga "),
  );
}

/** As a shell reads them, up to what explains the example, or where its input comes from. */
function wordsOf(example: string): string[] {
  const [line = ""] = example.split(/ {2,}(?=[a-zA-Z])| [<>|] /);
  return [...line.matchAll(/"(?<quoted>[^"]*)"|(?<plain>\S+)/g)].map(
    ({ groups }) => groups?.["quoted"] ?? groups?.["plain"] ?? "",
  );
}
