import { describe, expect, it } from "vitest";
import { commandNamed, COMMANDS, isLightCommand } from "./table.ts";

describe("a command", () => {
  it("is listed once", () => {
    const names = COMMANDS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each([
    ["snapshot", "snapshot"],
    ["keep", "snapshot"],
    ["completion", "complete"],
    ["reject", "send-back"],
    ["auto-worker", "auto-worker"],
    ["toString", undefined],
    ["kep", undefined],
  ])("is found by its name or a former one: %s", (word, name) => {
    expect(commandNamed(word)).toBe(name);
  });

  it("has a one-line summary without a period", () => {
    expect(COMMANDS.filter(({ summary }) => /\.$|\n/.test(summary))).toEqual([]);
    expect(Math.max(...COMMANDS.map(({ summary }) => summary.length))).toBeLessThan(66);
  });

  it("that starts work is not bundled with those that only read", () => {
    expect(["run", "merge", "clean"].filter((name) => isLightCommand(name as "run"))).toEqual([]);
    expect(isLightCommand("list")).toBe(true);
  });
});
