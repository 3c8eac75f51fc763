import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import type { Merged } from "../deliver/merge.ts";
import { mergedAnswer } from "./delivery.ts";
import { painter } from "./output.ts";

const MERGED: Merged = {
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

  it("names the setting with which a checkout follows every merge, where it can", () => {
    const setting = "saga config set delivery.update_checkout true";
    const said = (isUpdatable: boolean): string => {
      const merged = {
        kind: "checked-out",
        folder: "/p",
        commit: "a",
        why: "It is.",
        isUpdatable,
      } as const;
      return mergedAnswer("add-login", merged).text(painter(false));
    };
    expect(said(true)).toContain(setting);
    expect(said(false)).not.toContain(setting);
  });

  it("keeps its own colours, and nobody else's", () => {
    const text = mergedAnswer("add-login", MERGED).text(painter(true));
    expect(text).not.toMatch(/^␛/);
    expect(stripVTControlCharacters(text)).toBe(
      mergedAnswer("add-login", MERGED).text(painter(false)),
    );
  });
});
