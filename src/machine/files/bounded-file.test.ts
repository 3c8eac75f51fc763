import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { readRegularFile } from "./bounded-file.ts";

it("a file is read up to its limit, and refused beyond", () => {
  const file = newFolder().write("a", "12345");
  expect(readRegularFile(file, 5)).toBe("12345");
  expect(() => readRegularFile(file, 4)).toThrow("EFBIG");
});

it("a pipe is refused at once instead of waiting for its writer", () => {
  const pipe = join(newFolder().path, "pipe");
  execFileSync("mkfifo", [pipe]);
  expect(() => readRegularFile(pipe)).toThrow("ENXIO");
});

it("a folder is refused by the system's own error", () => {
  expect(() => readRegularFile(newFolder().path)).toThrow("EISDIR");
});
