// Small file systems of their own, which can be filled or made read-only. Mounting needs root on Linux,
// as CI has.

import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { newFolder } from "./project.ts";

export const canMount = process.platform === "linux" && process.getuid?.() === 0;

export function mounted(sizeKb: number, more = ""): string {
  const path = join(newFolder().path, "disk");
  mkdirSync(path);
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${sizeKb}k${more}`, "tmpfs", path]);
  onTestFinished(() => void execFileSync("umount", [path]));
  return path;
}

export const makeReadOnly = (path: string): void =>
  void execFileSync("mount", ["-o", "remount,ro", path]);

/** Leaves about that much room. */
export function fill(path: string, leftKb: number): void {
  const [, free = "0"] = execFileSync("df", ["--output=avail", path], { encoding: "utf8" })
    .trim()
    .split("\n");
  writeFileSync(join(path, "filler"), Buffer.alloc((Number(free) - leftKb) * 1024));
}

/** Leaves no space for another name. Returns the files that take it. */
export function useUpNames(path: string): string[] {
  const made: string[] = [];
  for (;;) {
    const file = join(path, `filler-${made.length}`);
    try {
      writeFileSync(file, "");
    } catch {
      return made;
    }
    made.push(file);
  }
}
