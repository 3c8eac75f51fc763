import { expect, it } from "vitest";
import { isMachineName } from "./machine-name.ts";

it.each([
  ["build-3", true],
  ["a", true],
  ["", false],
  ["Build", false],
  ["-a", false],
  ["a--b", false],
  ["\u001B[31mann", false],
  ["ann\nbob", false],
  ["../ann", false],
  ["a".repeat(61), false],
  [undefined, false],
  [7, false],
])("%j is the name of a machine: %s", (name, expected) => {
  expect(isMachineName(name)).toBe(expected);
});
