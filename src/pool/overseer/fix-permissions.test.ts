import { chmodSync, lstatSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { fixPermissions } from "./fix-permissions.ts";

const modeOf = (path: string): string => (lstatSync(path).mode & 0o777).toString(8);

function newList(): { readonly list: string; readonly file: string; readonly outside: string } {
  const { path, write } = newFolder();
  const file = write("list/1.json", "{}");
  return { list: join(path, "list"), file, outside: join(path, "outside") };
}

describe("permissions", () => {
  it.each(["unreadable", "write-failed"] as const)("of a file that is %s are fixed", (kind) => {
    const { list, file } = newList();
    chmodSync(file, 0o040);
    expect(fixPermissions(list, { kind, file, message: "" })).toBe(true);
    expect(modeOf(file)).toBe("640");
    expect(fixPermissions(list, { kind, file, message: "" })).toBe(false);
  });

  it("of the list's folder are fixed", () => {
    const { list } = newList();
    chmodSync(list, 0o500);
    expect(fixPermissions(list, { kind: "unreadable", file: list, message: "" })).toBe(true);
    expect(modeOf(list)).toBe("700");
  });

  it("of files outside the list are not changed, however they are named", () => {
    const { list, outside } = newList();
    writeFileSync(outside, "", { mode: 0o000 });
    symlinkSync(outside, join(list, "2.json"));
    for (const file of [outside, join(list, "2.json"), join(list, "../outside")]) {
      expect(fixPermissions(list, { kind: "unreadable", file, message: "" })).toBe(false);
    }
    expect(modeOf(outside)).toBe("0");
  });

  it("are not changed for a malformed file", () => {
    const { list, file } = newList();
    chmodSync(file, 0o400);
    expect(fixPermissions(list, { kind: "invalid-json", file, message: "" })).toBe(false);
    expect(modeOf(file)).toBe("400");
  });
});
