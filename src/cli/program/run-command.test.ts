import { describe, expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { EXIT } from "../../story/state/exit-codes.ts";

const run = async (...words: string[]) => {
  const { exitCode, stderr, stdout } = await newFolder().saga(...words);
  return { exitCode, text: `${stdout}${stderr}` };
};

describe("wrong words", () => {
  it.each([
    ["an unknown option", ["list", "--al"], "Unknown option --al."],
    ["an unknown option, with the likely one", ["list", "--jsn"], "--json"],
    ["an option without its value", ["list", "-C"], "-C"],
    ["a subcommand that does not exist", ["new", "stroy"], 'Unknown command "new stroy".'],
    ["a missing subcommand", ["new"], "Missing subcommand: "],
    ["a missing argument", ["show", "--json"], "Missing argument"],
    ["a word too many", ["sessions", "now"], "Too many arguments: expected 0, got 1 (now)."],
    ["words too many for a subcommand", ["queue", "hold", "a", "b"], "expected 1, got 2 (a b)."],
  ])("%s are refused with the exit code for wrong usage", async (_, words, part) => {
    const { exitCode, text } = await run(...words);
    expect(text).toContain(part);
    expect(exitCode).toBe(EXIT.usage);
  });
});

it("an error is JSON for a program that asked for it", async () => {
  const { exitCode, text } = await run("list", "--json");
  expect(JSON.parse(text)).toMatchObject({ error: { code: "no-project" } });
  expect(exitCode).toBe(EXIT.error);
});

it("a folder that does not exist is named", async () => {
  expect((await run("list", "-C", "gone")).text).toContain("There is no folder");
});
