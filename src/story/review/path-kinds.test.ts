import { expect, it } from "vitest";
import { isLockFile, pathKinds, testedName } from "./path-kinds.ts";

const kinds = (path: string): string[] => [...pathKinds(path)].toSorted();

it("tells code, tests and generated files apart", () => {
  expect(kinds("src/cart.ts")).toEqual(["code"]);
  expect(kinds("src/cart.test.ts")).toEqual(["test"]);
  expect(kinds("tests/test_cart.py")).toEqual(["test"]);
  expect(kinds("src/CartTest.java")).toEqual(["test"]);
  expect(kinds("pkg/cart_test.go")).toEqual(["test"]);
  expect(kinds("dist/cart.js")).toEqual(["generated"]);
  expect(kinds("README.md")).toEqual([]);
  expect(kinds("src/latest.ts")).toEqual(["code"]);
});

it("knows what checks depend on", () => {
  for (const path of ["package.json", "web/vitest.config.ts", ".github/workflows/ci.yml"]) {
    expect(kinds(path)).toContain("checks");
  }
  expect(kinds("src/package.ts")).not.toContain("checks");
});

it("finds sensitive files by whole words of their path", () => {
  for (const path of [
    "src/user-auth.ts",
    "src/authGuard.ts",
    "db/migrations/7.sql",
    "Dockerfile",
  ]) {
    expect(kinds(path), path).toContain("sensitive");
  }
  expect(kinds("src/author.ts")).not.toContain("sensitive");
  // A test of it does no harm.
  expect(kinds("src/user-auth.test.ts")).toEqual(["test"]);
});

it("gives a file and its test the same name", () => {
  for (const path of [
    "src/cart.ts",
    "test/cart.test.ts",
    "tests/test_cart.py",
    "src/CartTest.java",
  ]) {
    expect(testedName(path)).toBe("cart");
  }
});

it("knows the lock files of package managers", () => {
  expect(isLockFile("web/package-lock.json")).toBe(true);
  expect(isLockFile("src/lock.ts")).toBe(false);
});
