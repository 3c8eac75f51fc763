import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import type { CheckedOut, MergeResult } from "../../deliver/merge.ts";
import { mergedAnswer } from "./merge-command.ts";
import { painter } from "../output/terminal.ts";

const MERGED: MergeResult = {
  kind: "merged",
  commit: "a".repeat(40),
  into: "main",
  wasThere: false,
  worktree: undefined,
  warnings: ["One file was in the way:\n  a.txt\u001b[31m"],
};

describe("what has become of a merge", () => {
  it("is said in lines, where a sentence has several", () => {
    expect(mergedAnswer("add-login", MERGED).text(painter(false))).toBe(
      [
        "add-login is merged into main as aaaaaaaaaaaa.",
        "One file was in the way:",
        "  a.txt␛[31m",
        "",
      ].join("\n"),
    );
  });

  const checkedOut = (more: Partial<CheckedOut>): CheckedOut => ({
    kind: "checked-out",
    folder: "/p",
    into: "main",
    commit: "a",
    why: "Updating it needs your permission.",
    isUpdatable: true,
    files: [],
    ...more,
  });
  const textOf = (merged: MergeResult): string =>
    mergedAnswer("add-login", merged).text(painter(false));

  it("names the command that updates the checkout, and the setting that always does", () => {
    expect(textOf(checkedOut({}))).toBe(
      [
        "add-login passed its checks but was not merged: main is checked out in /p.",
        "Merge and update that checkout:",
        "  saga merge add-login --update-checkout",
        "To always update it: `saga config set delivery.update_checkout true`",
        "",
      ].join("\n"),
    );
  });

  it("names the changed files of a checkout that cannot be updated", () => {
    const why = "It has uncommitted changes: a.txt.";
    const dirty = checkedOut({ commit: undefined, isUpdatable: false, files: ["a.txt"], why });
    expect(textOf(dirty)).toBe(
      [
        "add-login was not merged: main is checked out in /p. It has uncommitted changes: a.txt.",
        "Commit or stash the changes in /p, then run:",
        "  saga merge add-login --update-checkout",
        "",
      ].join("\n"),
    );
  });

  it("says the same to programs, with the question to ask", () => {
    expect(mergedAnswer("add-login", checkedOut({})).json).toMatchObject({
      message: "add-login passed its checks but was not merged: main is checked out in /p.",
      hint: "Merge and update that checkout: `saga merge add-login --update-checkout`. To always update it: `saga config set delivery.update_checkout true`",
      question: "main is checked out in /p. Merge add-login and update that checkout?",
    });
  });

  it("names the command that updates the branch here after a merge at the remote", () => {
    expect(textOf({ ...MERGED, pull: "git pull" })).toContain(
      "main here is behind the remote now: `git pull` updates it.\n",
    );
  });

  it("keeps its own colours, and nobody else's", () => {
    const text = mergedAnswer("add-login", MERGED).text(painter(true));
    expect(text).not.toMatch(/^␛/);
    expect(stripVTControlCharacters(text)).toBe(
      mergedAnswer("add-login", MERGED).text(painter(false)),
    );
  });
});
