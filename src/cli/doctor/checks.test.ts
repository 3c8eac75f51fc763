import { expect, it } from "vitest";
import { SagaError } from "../../errors.ts";
import { failedCheck, versionOf, withOwnPath } from "./checks.ts";

it.each([
  ["git version 2.39.5", "2.39.5"],
  ["git version 2.39.3 (Apple Git-146)", "2.39.3"],
  ["tmux 3.3a", "3.3a"],
  ["tmux next-3.4", "3.4"],
  ["gh version 2.46.0 (2024-03-20)\nhttps://github.com/cli/cli/releases/tag/v2.46.0", "2.46.0"],
  ["no version", undefined],
])("reads the version in %j", (text, version) => {
  expect(versionOf(text)).toBe(version);
});

it("a check that throws is a finding of its own, with the fix that the error names", () => {
  const error = new SagaError("bad-setting", "git.base is invalid.", { hint: "Set another." });
  expect(failedCheck("project", error)).toMatchObject([{ name: "project", fix: "Set another." }]);
  expect(failedCheck("disk", new Error("Odd."))[0]?.found).toContain("Odd.");
});

it("the fix for a login names Claude Code by its path, unless it is on PATH", () => {
  expect(withOwnPath("noLogin", { path: "/usr/bin/claude", from: "PATH" })).toEqual({});
  const { fix } = withOwnPath("noLogin", { path: "/a b/claude", from: "package" });
  expect(fix).toContain("`'/a b/claude' auth login`");
});
