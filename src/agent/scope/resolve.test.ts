import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { follow, LONGEST_PATH, parentOf, readingsOf } from "./resolve.ts";

describe("what a path may mean", () => {
  it("is one place in the usual case", () => {
    expect(readingsOf("/w", "src/a.ts")).toEqual(["/w/src/a.ts"]);
    expect(readingsOf("/w", "/etc/hosts")).toEqual(["/etc/hosts"]);
  });

  it("is several places if programs disagree", () => {
    expect(readingsOf("/w", "link/../a")).toEqual(["/w/link/../a", "/w/a"]);
    expect(readingsOf("/w", " a")).toEqual(["/w/ a", "/w/a"]);
    expect(readingsOf("/w", "~/a")).toContain("/w/~/a");
    expect(readingsOf("/w", "file:///etc/hosts")).toContain("/etc/hosts");
  });

  it("is refused if it is another user's folder, or cut short by a NUL", () => {
    expect(readingsOf("/w", "~root/x")).toHaveProperty("because");
    expect(readingsOf("/w", "a\0b")).toHaveProperty("because");
  });

  it("is no place at all if no system could open it", () => {
    expect(readingsOf("/w", "x".repeat(LONGEST_PATH))).toEqual([]);
    const long = `${"a/../".repeat(LONGEST_PATH)}b`;
    expect(readingsOf("/w", long)).toEqual(["/w/b"]);
  });
});

describe("a path is followed", () => {
  it("through links, also dangling ones, and `..` leaves the link's target", () => {
    const { path, write, link } = newFolder();
    write("deep/real/file", "");
    link("short", "deep/real");
    link("nowhere", "missing/place");
    const at = (name: string) => follow(join(path, name), undefined);
    expect(at("short/file")).toEqual({
      path: join(path, "deep/real/file"),
      links: [join(path, "short")],
    });
    expect(follow(`${path}/short/../x`, undefined)).toMatchObject({ path: join(path, "deep/x") });
    expect(at("nowhere/new")).toMatchObject({ path: join(path, "missing/place/new") });
  });

  it("not in a circle", () => {
    const { path, link } = newFolder();
    link("loop", "loop");
    expect(follow(join(path, "loop"), undefined)).toHaveProperty("because");
  });

  it.runIf(process.platform === "linux")("not to where each process sees another place", () => {
    expect(follow("/proc/self/cwd/x", undefined)).toHaveProperty("because");
  });
});

it("the folder above a path is found, down to the top", () => {
  expect(parentOf("/a/b")).toBe("/a");
  expect(parentOf("/a")).toBe("");
  expect(parentOf("")).toBe("");
});
