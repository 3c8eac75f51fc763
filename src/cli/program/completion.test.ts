import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { candidates, SCRIPTS, SHELLS, type KnownValues } from "./completion.ts";

const known: KnownValues = {
  epics: ["shop"],
  fitting: (command, kind) => [{ value: `${kind} of ${command}`, about: "" }],
  settings: ["run.keep"],
  tasks: ["7"],
};

const commands = [
  new Command("run").argument("<story>").option("--max-cost <usd>").option("-f, --force"),
  new Command("new")
    .addCommand(new Command("story").option("--epic <id>"))
    .addCommand(new Command("task")),
  new Command("config").addCommand(new Command("set").argument("<key>").argument("<value>")),
];

const values = (...words: string[]): string[] =>
  candidates(commands, words, known).map(({ value }) => value);

describe("the next word may be", () => {
  it.each<[string, string[], string[]]>([
    ["a command", ["r"], ["run"]],
    ["a subcommand", ["new", ""], ["story", "task"]],
    ["a story that fits the command", ["run", ""], ["story of run"]],
    ["a story behind an option with its value", ["run", "--max-cost", "5", ""], ["story of run"]],
    ["an option", ["run", "--f"], ["--force"]],
    ["an epic behind --epic", ["new", "story", "--epic", ""], ["shop"]],
    ["a setting", ["config", "set", ""], ["run.keep"]],
    ["nothing that is known", ["config", "set", "run.keep", ""], []],
    ["nothing behind an option without choices", ["run", "--max-cost", ""], []],
    ["nothing after all arguments", ["run", "one", ""], []],
  ])("%s", (_, words, expected) => {
    expect(values(...words)).toEqual(expected);
  });
});

it("what a person typed is passed to the shell's script as words, and never run", () => {
  for (const shell of SHELLS) {
    expect(SCRIPTS[shell]).toContain("saga complete -- ");
    expect(SCRIPTS[shell]).not.toMatch(/\beval\b/);
  }
});
