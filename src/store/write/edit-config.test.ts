import { expect, it } from "vitest";
import { SETTINGS } from "../../story/settings/settings.ts";
import { edited } from "./edit-config.ts";

const setting = (key: string) => {
  const found = SETTINGS.find((one) => one.key === key);
  if (found === undefined) throw new Error(`There is no setting ${key}.`);
  return found;
};

const BEFORE = `# Ours.
[run]
max_cycles = 5 # enough
# keep = 50

[git]
base = "trunk"
`;

it("changes one value, and keeps comments and everything else", () => {
  expect(edited(BEFORE, setting("run.max_cycles"), 7)).toBe(BEFORE.replace("= 5", "= 7"));
});

it("adds a setting to its section, and a section that is missing", () => {
  expect(edited(BEFORE, setting("run.max_cost"), 3)).toMatch(
    /\[run\]\n[^[]*max_cost = 3\n[^]*\[git\]/,
  );
  expect(edited("", setting("git.base"), "main")).toBe('[git]\nbase = "main"\n');
});

it("removes a setting without leaving a gap", () => {
  const after = edited(BEFORE, setting("git.base"), undefined);
  expect(after).not.toContain("trunk");
  expect(after).not.toMatch(/\n\n\n|\n\n$/);
});
