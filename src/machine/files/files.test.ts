import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import {
  diskError,
  isInside,
  listFolder,
  makeFolder,
  readTextIfThere,
  writeDurably,
} from "./files.ts";

describe("a durable write", () => {
  it("replaces the file and leaves nothing beside it", () => {
    const { path } = newFolder("with 'quotes' $(and) \n ünïcode");
    writeDurably(join(path, "a.json"), "one");
    writeDurably(join(path, "a.json"), "two");
    expect(readTextIfThere(join(path, "a.json"))).toBe("two");
    expect(readdirSync(path)).toEqual(["a.json"]);
  });

  it("over a folder fails with a message, and leaves nothing beside it", () => {
    const { path } = newFolder();
    mkdirSync(join(path, "a.json"));
    expect(() => writeDurably(join(path, "a.json"), "x")).toThrow(/in the way/);
    expect(readdirSync(path)).toEqual(["a.json"]);
  });
});

describe("whether a path is inside a folder", () => {
  it.each([
    ["a", true],
    [".", true],
    ["not/yet/there", true],
    ["..", false],
    ["a/../../b", false],
    ["../saga-evil", false],
    ["..hidden", true],
    ["out/x", false],
    ["out", false],
    ["in/x", true],
    ["nowhere", false],
    ["nowhere/x", false],
  ])("is decided with all links followed: %s", (way, answer) => {
    const home = newFolder();
    const folder = join(home.path, "saga");
    mkdirSync(join(folder, "real"), { recursive: true });
    symlinkSync(home.path, join(folder, "out"));
    symlinkSync("real", join(folder, "in"));
    symlinkSync("../does-not-exist", join(folder, "nowhere"));
    expect(isInside(folder, `${folder}/${way}`)).toBe(answer);
  });

  it("is false for a link to itself", () => {
    const { path } = newFolder();
    symlinkSync("b", join(path, "a"));
    symlinkSync("a", join(path, "b"));
    expect(isInside(path, join(path, "a/x"))).toBe(false);
    expect(isInside(path, join(path, "a"))).toBe(false);
  });
});

describe("a disk error", () => {
  it.each([
    ["ENOSPC", "disk-full", /Cannot write \/x: the disk is full/],
    ["EDQUOT", "disk-full", /the disk is full/],
    ["EROFS", "not-writable", /Cannot write \/x: permission denied/],
    ["EACCES", "not-writable", /permission denied/],
    ["EISDIR", "not-writable", /Cannot write \/x: a file or folder is in the way/],
  ])("%s has a message and a hint", (code, expected, sentence) => {
    const error = diskError(Object.assign(new Error("raw"), { code }), "/x");
    expect(error).toMatchObject({
      code: expected,
      message: expect.stringMatching(sentence) as string,
    });
    expect(error).toHaveProperty("hint", expect.stringContaining("Nothing was changed"));
  });

  it("of another kind is returned unchanged", () => {
    const error = Object.assign(new Error("raw"), { code: "EIO" });
    expect(diskError(error, "/x")).toBe(error);
  });
});

describe("a folder", () => {
  it("that does not exist has no entries", () => {
    expect(listFolder(join(newFolder().path, "none"))).toEqual([]);
  });

  it("that is a file is reported", () => {
    const { path } = newFolder();
    writeFileSync(join(path, "file"), "");
    expect(() => listFolder(join(path, "file"))).toThrow(/is not a folder/);
    expect(() => makeFolder(join(path, "file", "below"))).toThrow(/in the way/);
  });
});
