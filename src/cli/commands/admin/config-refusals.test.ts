import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../../test/support/project.ts";
import { refused } from "../../../../test/support/refused.ts";
import { SETTINGS_FILE as FILE, withSettings } from "../../../../test/support/settings-file.ts";

describe("saga config refuses settings that are wrong", () => {
  const commands = [[], ["get", "size.max_files"], ["set", "size.max_files", "3"]];

  it.each(commands)("broken TOML, with the line: config %s", async (...words) => {
    const project = withSettings('[size]\nmax_lines = "\n');
    const { code, text } = await refused(project, "config", ...words);
    expect(code).toBe("bad-setting");
    expect(text).toContain(`${FILE}:2:`);
    expect(text).toContain("This is not valid TOML");
  });

  it("an unknown key, with its line, without advice that cannot help", async () => {
    const project = withSettings("[size]\nmax_flies = 3\n");
    const { text } = await refused(project, "config");
    expect(text).toContain(`${FILE}:2: error: \`size.max_flies\` is not a known field.`);
    expect(text).toContain("`saga config` lists all settings.");
    expect(text).not.toContain("saga config set");
  });

  it("a section that is not a table, in TOML's words", async () => {
    const { text } = await refused(withSettings("size = 4\n"), "config");
    expect(text).toContain(`${FILE}:1: error: \`size\``);
    expect(text).not.toContain("for example {}");
  });

  it("and does not half do it: another setting is wrong", async () => {
    const project = withSettings("[size]\nmax_lines = 0\n");
    const { text } = await refused(project, "config", "set", "size.max_files", "3");
    expect(text).toContain(`${FILE}:2: error: \`size.max_lines\` must be at least 1`);
  });
});

describe("saga config does not write through what is in its way", () => {
  it("a folder in the place of the file", async () => {
    const folder = newFolder();
    mkdirSync(join(folder.path, FILE), { recursive: true });
    for (const words of [[], ["set", "size.max_files", "3"]]) {
      const { text } = await refused(folder, "config", ...words);
      expect(text).toContain(FILE);
    }
  });

  it("a link out of .saga", async () => {
    const folder = newFolder();
    const outside = newFolder("outside");
    outside.write("config.toml", "[size]\nmax_files = 7\n");
    folder.link(FILE, join(outside.path, "config.toml"));
    for (const words of [[], ["set", "size.max_files", "3"]]) {
      const { text } = await refused(folder, "config", ...words);
      expect(text).toContain("leads out of .saga");
    }
    expect(outside.read("config.toml")).toBe("[size]\nmax_files = 7\n");
  });
});
