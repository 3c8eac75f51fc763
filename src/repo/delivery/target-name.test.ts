import { expect, it } from "vitest";
import { targetName } from "./target-name.ts";

const place = (url: string) => ({ remote: { name: "origin", url }, ghHost: "git.example.com" });

it.each([
  ["here", "/srv/git/shop.git", "main"],
  ["remote", "/srv/git/shop.git", "origin/main"],
  ["remote", "git@github.com:acorn/shop.git", "main on GitHub (acorn/shop)"],
  ["remote", "https://git.example.com/acorn/shop", "main on git.example.com (acorn/shop)"],
] as const)("a target %s with the remote %s is called %s", (where, url, name) => {
  expect(targetName({ branch: "main", place: where }, place(url))).toBe(name);
});

it("a target on a remote that is gone says so", () => {
  expect(targetName({ branch: "main", place: "remote" }, { remote: undefined })).toBe(
    "main (remote)",
  );
});
