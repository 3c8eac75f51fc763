import { parse } from "smol-toml";
import { describe, expect, it } from "vitest";
import { commentedConfig, configSchema, SETTINGS, settingsOf } from "./settings.ts";

const defaults = {
  claude: { path: undefined },
  size: { maxFiles: 5, maxLines: 200 },
};
const settings = (toml: string): unknown => settingsOf(configSchema.parse(parse(toml)));

describe("the settings", () => {
  it("have defaults for everything", () => {
    expect(settings("")).toEqual(defaults);
    expect(settings("[size]")).toEqual(defaults);
  });

  it("are read from the file's names", () => {
    const toml = '[claude]\npath = "/opt/claude"\n[size]\nmax_files = 9\nmax_lines = 400\n';
    expect(settings(toml)).toEqual({
      claude: { path: "/opt/claude" },
      size: { maxFiles: 9, maxLines: 400 },
    });
  });

  it.each([
    ["an unknown section", "[sizes]\nmax_files = 1"],
    ["an unknown key", "[size]\nmax_file = 1"],
    ["a key outside of its section", "max_files = 1"],
    ["text for a number", '[size]\nmax_files = "5"'],
    ["a fraction", "[size]\nmax_lines = 1.5"],
    ["a ceiling of nothing", "[size]\nmax_files = 0"],
    ["an empty path", '[claude]\npath = ""'],
  ])("refuse %s", (_, toml) => {
    expect(configSchema.safeParse(parse(toml)).success).toBe(false);
  });
});

describe("the list of settings", () => {
  it("has every one of them with its key and default", () => {
    expect(
      SETTINGS.map(({ key, section, name, fallback }) => [key, section, name, fallback]),
    ).toEqual([
      ["claude.path", "claude", "path", undefined],
      ["size.max_files", "size", "max_files", 5],
      ["size.max_lines", "size", "max_lines", 200],
    ]);
  });

  it("explains every one of them in a sentence", () => {
    for (const { about } of SETTINGS) expect(about).toMatch(/^[A-Z].*\.$/);
  });
});

describe("the file of a new project", () => {
  it("explains every setting and sets none", () => {
    expect(settings(commentedConfig())).toEqual(defaults);
    for (const { about, section } of SETTINGS) {
      expect(commentedConfig()).toContain(`# ${about}\n`);
      expect(commentedConfig()).toContain(`[${section}]\n`);
    }
  });

  it("shows defaults that mean the same when their # is taken away", () => {
    expect(settings(commentedConfig().replaceAll(/^# (?=\w+ = )/gm, ""))).toEqual(defaults);
  });

  it("ends with a line break", () => {
    expect(commentedConfig()).toMatch(/[^\n]\n$/);
  });
});
