import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder, newProject, snapshot } from "../../../../test/support/project.ts";
import { SETTINGS_FILE as FILE, withSettings } from "../../../../test/support/settings-file.ts";
import { isHarmless, misused, refused } from "../../../../test/support/refused.ts";

describe("saga config", () => {
  it("lists every setting with its value, whether it is set, and what it is for", async () => {
    const project = withSettings("[size]\nmax_files = 8\n");
    const { exitCode, stdout, stderr } = await project.saga("config");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toMatch(/^claude\.path +not set +default +\S/m);
    expect(stdout).toMatch(/^size\.max_files +8 +set +The maximum number of files/m);
    expect(stdout).toMatch(/^size\.max_lines +200 +default +The maximum number of lines/m);
  });

  it("stays readable beside a long value, which `config get` prints in full", async () => {
    const folder = newProject();
    const long = ["one", "two", "three", "four"].map((name) => `${name}-of-several`);
    await folder.saga("config", "set", "worktree.copy", JSON.stringify(long));
    const { stdout } = await folder.saga("config");
    for (const line of stdout.split("\n"))
      expect(line.search(/ (?:default|set) {2}/)).toBeLessThan(70);
    expect((await folder.saga("config", "get", "worktree.copy")).stdout).toContain(long.at(-1));
  });

  it("shows the same in JSON, with the defaults", async () => {
    const project = withSettings("[size]\nmax_files = 8\n");
    const { exitCode, json } = await project.saga("config", "--json");
    expect(exitCode).toBe(0);
    expect(json()["file"]).toBe(join(project.path, FILE));
    expect(json()["settings"]).toContainEqual({
      key: "size.max_files",
      value: 8,
      isSet: true,
      default: 5,
      about: "The maximum number of files that a task may declare to write.",
    });
    expect(json()["settings"]).toContainEqual(
      expect.objectContaining({ key: "claude.path", value: null, isSet: false, default: null }),
    );
  });

  it("works without a settings file", async () => {
    const folder = newFolder();
    mkdirSync(join(folder.path, ".saga"));
    expect((await folder.saga("config")).stdout).toMatch(/size\.max_files +5 +default/);
  });

  it("changes nothing", async () => {
    const project = withSettings("[size]\nmax_files = 8\n");
    const before = snapshot(project.path);
    await project.saga("config");
    await project.saga("config", "get", "size.max_files");
    expect(snapshot(project.path)).toBe(before);
  });
});

describe("saga config get", () => {
  it("prints one value", async () => {
    const project = withSettings("size.max_files = 8\n");
    expect((await project.saga("config", "get", "size.max_files")).stdout).toBe("8\n");
    expect((await project.saga("config", "get", "size.max_lines")).stdout).toBe("200\n");
  });

  it("shows in JSON whether it is set", async () => {
    const { json } = await newProject().saga("config", "get", "size.max_files", "--json");
    expect(json()).toMatchObject({ key: "size.max_files", value: 5, isSet: false });
  });

  it("suggests settings for an unknown key", async () => {
    const { code, text } = await refused(newProject(), "config", "get", "size.max_flies");
    expect(code).toBe("bad-setting");
    expect(text).toContain('There is no setting "size.max_flies".');
    expect(text).toContain("size.max_files");
  });
});

describe("saga config set", () => {
  it("changes one setting, says so, and keeps every comment", async () => {
    const project = withSettings(
      "# ours\n[size] # how large\nmax_files = 5 # small\n\n# the end\n",
    );
    const { exitCode, stdout } = await project.saga("config", "set", "size.max_files", "8");
    expect(exitCode).toBe(0);
    expect(stdout).toBe("size.max_files is 8.\n");
    expect(project.read(FILE)).toBe(
      "# ours\n[size] # how large\nmax_files = 8 # small\n\n# the end\n",
    );
  });

  it("adds what is not there yet", async () => {
    const project = newProject();
    await project.saga("config", "set", "claude.path", "~/bin/claude");
    expect(project.read(FILE)).toMatch(/\[claude\]\npath = "~\/bin\/claude"/);
    expect((await project.saga("validate")).exitCode).toBe(0);
  });

  it("creates the file, with every setting explained, when there is none", async () => {
    const folder = newFolder();
    mkdirSync(join(folder.path, ".saga"));
    await folder.saga("config", "set", "size.max_files", "8");
    expect(folder.read(FILE)).toContain("# The maximum number of lines that a task may declare");
    expect(folder.read(FILE)).toMatch(/^max_files = 8$/m);
  });

  it("shows the new value in JSON", async () => {
    const { exitCode, json } = await newProject().saga("config set size.max_files 8 --json");
    expect(exitCode).toBe(0);
    expect(json()).toMatchObject({ key: "size.max_files", value: 8, isSet: true, default: 5 });
  });

  it("can be repeated", async () => {
    const project = newProject();
    await project.saga("config", "set", "size.max_files", "8");
    const before = snapshot(project.path);
    const { exitCode } = await project.saga("config", "set", "size.max_files", "8");
    expect(exitCode).toBe(0);
    expect(snapshot(project.path)).toBe(before);
  });

  it("takes effect at once", async () => {
    const project = newProject();
    await project.saga("new", "story", "s", "-d", "x");
    await project.saga("config", "set", "size.max_lines", "10");
    const { text } = await refused(project, "new", "task", "s", "t", "-d", "x", "--lines", "11");
    expect(text).toContain("at most 10 are allowed");
  });

  it("takes a text that looks like a number for a text where a text belongs", async () => {
    const project = newProject();
    await project.saga("config", "set", "claude.path", "12");
    expect((await project.saga("config", "get", "claude.path", "--json")).json()["value"]).toBe(
      "12",
    );
  });

  it("repairs a setting that is wrong", async () => {
    const project = withSettings('[size]\nmax_files = "many"\n');
    expect((await project.saga("config", "set", "size.max_files", "8")).exitCode).toBe(0);
    expect((await project.saga("validate")).exitCode).toBe(0);
  });

  it.each([
    ["size.max_files", "many", "`size.max_files` must be a number, but is"],
    ["size.max_files", "0", "`size.max_files` must be at least 1, but is 0."],
    ["size.max_files", "-3", "`size.max_files` must be at least 1, but is -3."],
    ["size.max_files", "1.5", "`size.max_files` must be a whole number"],
    ["size.max_files", "true", "`size.max_files` must be a number, but is"],
    ["size.max_files", "[1]", "`size.max_files` must be a number, but is"],
    ["size.max_files", "null", "`size.max_files` must be a number, but is null."],
  ])("refuses a bad value: %s %j", async (key, value, sentence) => {
    const { code, message, hint } = await refused(newProject(), "config", "set", key, value);
    expect(code).toBe("bad-setting");
    expect(message).toContain(sentence);
    expect(hint).toContain("Default: ");
  });

  it.each([
    ["npm test", `'["npm test"]'`],
    ["[npm test]", `'["npm test"]'`],
    ["test 'a b'", `'["test '\\''a b'\\''"]'`],
  ])("shows how to write a list when a single entry is given: %s", async (entry, list) => {
    const { hint } = await refused(newProject(), "config", "set", "auto.checks", entry);
    expect(hint).toContain(`saga config set auto.checks ${list}\``);
  });

  it("refuses an empty path as empty", async () => {
    const { message } = await refused(newProject(), "config", "set", "claude.path", "");
    expect(message).toMatch(/claude\.path.*empty/);
  });

  it.each([
    "set size 3",
    "set size. 3",
    "set SIZE.MAX_FILES 3",
    "set __proto__.x 3",
    "unset size.max_files.x",
  ])("refuses an unknown key: %s", async (words) => {
    const { code, text } = await refused(newProject(), `config ${words}`);
    expect(code).toBe("bad-setting");
    expect(text).toMatch(/`saga config` lists all settings|Did you mean size\./);
  });

  it("shows a value with terminal escapes harmlessly", async () => {
    const project = newProject();
    const value = "a\u001b[31m\u009b31m\n\u202eb";
    const set = await project.saga("config", "set", "claude.path", value);
    const get = await project.saga("config", "get", "claude.path");
    const list = await project.saga("config");
    expect(isHarmless(set.stdout + get.stdout + list.stdout)).toBe(true);
    const { json } = await project.saga("config", "get", "claude.path", "--json");
    expect(json()["value"]).toBe(value);
  });
});

describe("saga config unset", () => {
  it("goes back to the default and keeps every comment", async () => {
    const project = withSettings("# ours\n[size]\nmax_files = 8\nmax_lines = 9 # few\n");
    const { exitCode, stdout } = await project.saga("config", "unset", "size.max_files");
    expect(exitCode).toBe(0);
    expect(stdout).toBe("size.max_files is 5 (default).\n");
    expect(project.read(FILE)).toBe("# ours\n[size]\nmax_lines = 9 # few\n");
  });

  it("takes back what set has done, to the byte", async () => {
    const folder = newFolder();
    await folder.saga("init");
    const before = folder.read(FILE);
    for (const [key, value] of [
      ["size.max_files", "8"],
      ["claude.path", "x"],
    ] as const) {
      await folder.saga("config", "set", key, value);
      await folder.saga("config", "unset", key);
    }
    expect(folder.read(FILE)).toBe(before);
  });
});

describe("saga config as a command line", () => {
  it("names a word that it does not know", async () => {
    const { message } = await refused(newProject(), "config", "list");
    expect(message).toBe('There is no setting "list".');
  });

  it.each([["get"], ["set"], ["unset"]])("wants a key: %s", async (word) => {
    const { message, hint } = await misused(newProject(), "config", word);
    expect(message).toContain("<key>");
    expect(hint).toContain(`\`saga config ${word} --help\``);
  });

  it("wants a value to set", async () => {
    const { message } = await misused(newProject(), "config", "set", "size.max_files");
    expect(message).toContain("<value>");
  });
});

describe("saga config <key>", () => {
  it("prints one setting, as with get", async () => {
    const project = newProject();
    const short = await project.saga("config", "size.max_files");
    expect(short).toMatchObject({ exitCode: 0, stdout: "5\n" });
    expect((await project.saga("config", "get", "size.max_files")).stdout).toBe(short.stdout);
  });

  it("says which key was probably meant", async () => {
    const { text } = await refused(newProject(), "config", "size.max_file");
    expect(text).toContain("Did you mean size.max_files?");
  });
});
