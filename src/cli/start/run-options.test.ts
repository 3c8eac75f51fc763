import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { configSchema, settingsOf } from "../../story/settings/settings.ts";
import { limitsOf, withRunOptions, argumentsOf, type RunOptions } from "./run-options.ts";

/** Parses a command line. */
const read = (...words: string[]): RunOptions => {
  const command = withRunOptions(new Command())
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  return command.parse(words, { from: "user" }).opts();
};
const settings = (config: object = {}) => settingsOf(configSchema.parse(config));

describe("a worker's limits", () => {
  it("come from the settings", () => {
    expect(limitsOf({}, settings())).toEqual({
      maxCycles: 10,
      maxMs: 3_600_000,
      maxCostUsd: 25,
      model: "opus",
    });
    const mine = {
      run: { max_cycles: 3, max_minutes: 0.5, max_cost: 2 },
      claude: { model: "sonnet" },
    };
    expect(limitsOf({}, settings(mine))).toEqual({
      maxCycles: 3,
      maxMs: 30_000,
      maxCostUsd: 2,
      model: "sonnet",
    });
  });

  it("have no cost limit when the setting is 0", () => {
    expect(limitsOf({}, settings({ run: { max_cost: 0 } })).maxCostUsd).toBeUndefined();
  });

  it("come from the options first", () => {
    const options = read(
      "--max-cycles=2",
      "--max-time",
      "1.5",
      "--max-cost=0.1",
      "--model",
      "haiku",
    );
    const mine = { run: { max_cycles: 3, max_cost: 2 }, claude: { model: "sonnet" } };
    expect(limitsOf(options, settings(mine))).toEqual({
      maxCycles: 2,
      maxMs: 90_000,
      maxCostUsd: 0.1,
      model: "haiku",
    });
  });

  it.each([
    [],
    ["--max-cycles=2"],
    ["--max-time=0.25", "--max-cost=1000000"],
    ["--max-cycles=7", "--max-time=90", "--max-cost=0.001", "--model=-odd name"],
  ])("reach the worker in its session unchanged: %j", (...words) => {
    expect(read(...argumentsOf(read(...words)))).toEqual(read(...words));
  });

  it.each([
    ["--max-cycles", "0"],
    ["--max-cycles", "-1"],
    ["--max-cycles", "1.5"],
    ["--max-cycles", "many"],
    ["--max-time", "0"],
    ["--max-time", ""],
    ["--max-time", "Infinity"],
    ["--max-cost", "-0.5"],
    ["--max-cost", "$5"],
    ["--max-cost", "NaN"],
  ])("are refused when invalid: %s %j", (flag, value) => {
    expect(() => read(`${flag}=${value}`)).toThrow(
      /It must be a (?:number above 0|whole number, 1 or more)\./,
    );
  });
});
