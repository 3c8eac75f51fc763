import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import type { EpicMergeResult } from "../../deliver/epic/merge.ts";
import type { CheckedOut, MergeResult } from "../../deliver/merge.ts";
import { EXIT } from "../../story/state/exit-codes.ts";
import { epicMergeResult, mergeResult } from "./merge-result.ts";
import { painter } from "../output/terminal.ts";

const MERGED: MergeResult = {
  kind: "merged",
  commit: "a".repeat(40),
  into: "main",
  wasThere: false,
  worktree: undefined,
  warnings: ["One file was in the way:\n  a.txt\u001b[31m"],
};

describe("the result of a merge", () => {
  it("indents the further lines of a warning", () => {
    expect(mergeResult("add-login", MERGED).text(painter(false))).toBe(
      [
        "add-login: merged into main (aaaaaaaaaaaa).",
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
    mergeResult("add-login", merged).text(painter(false));

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

  it("has the same texts in its JSON, with the question to ask", () => {
    expect(mergeResult("add-login", checkedOut({})).json).toMatchObject({
      message: "add-login passed its checks but was not merged: main is checked out in /p.",
      hint: "Merge and update that checkout: `saga merge add-login --update-checkout`. To always update it: `saga config set delivery.update_checkout true`",
      question: "main is checked out in /p. Merge add-login and update that checkout?",
    });
  });

  it("names the command that updates the local branch after a merge on the remote", () => {
    expect(textOf({ ...MERGED, pull: "git pull" })).toContain(
      "main here is behind the remote now: `git pull` updates it.\n",
    );
  });

  it("has colours of its own, but none from file names", () => {
    const text = mergeResult("add-login", MERGED).text(painter(true));
    expect(text).not.toMatch(/^␛/);
    expect(stripVTControlCharacters(text)).toBe(
      mergeResult("add-login", MERGED).text(painter(false)),
    );
  });
});

const MERGED_EPIC = {
  kind: "merged",
  into: "main",
  commit: "0123456789abcdef",
  wasThere: false,
  warnings: ["Not pushed."],
} as unknown as EpicMergeResult;

const epicText = (result: EpicMergeResult): string =>
  epicMergeResult("shop", result).text(painter(false));

it("the result of an epic's merge names the commit and the warnings, and no commit if it was merged before", () => {
  expect(epicText(MERGED_EPIC)).toContain("0123456789ab");
  expect(epicText(MERGED_EPIC)).toContain("Not pushed.");
  expect(epicText({ ...MERGED_EPIC, wasThere: true } as EpicMergeResult)).not.toContain(
    "0123456789ab",
  );
});

it("the result of an epic's merge names the files of a conflict and how to resolve it", () => {
  const text = epicText({
    kind: "conflict",
    branch: "epic/shop",
    into: "main",
    conflict: { files: [{ path: "a.ts" }, { path: "b.ts" }] },
  } as unknown as EpicMergeResult);
  expect(text).toContain("a.ts, b.ts");
  expect(text).toContain("git switch epic/shop && git merge main");
});

it("a checkout in the way is not an error: another command continues", () => {
  const exit = (result: EpicMergeResult) => epicMergeResult("shop", result).exitCode;
  expect(exit(MERGED_EPIC)).toBe(EXIT.done);
  expect(exit({ kind: "stopped" })).toBe(EXIT.error);
  const busy = { kind: "checked-out", into: "main", folder: "/p", isUpdatable: true, why: "" };
  expect(exit(busy as unknown as EpicMergeResult)).toBe(EXIT.notMerged);
});
