import { expect, it } from "vitest";
import type { EpicMergeResult } from "../../deliver/epic/merge.ts";
import { EXIT } from "../../story/state/exit-codes.ts";
import { painter } from "../output/terminal.ts";
import { epicMergeResult } from "./merge-epic-output.ts";

const merged = {
  kind: "merged",
  into: "main",
  commit: "0123456789abcdef",
  wasThere: false,
  warnings: ["Not pushed."],
} as unknown as EpicMergeResult;

const textOf = (result: EpicMergeResult) => {
  const { text } = epicMergeResult("shop", result);
  return typeof text === "function" ? text(painter(false)) : text;
};

it("names the commit and the warnings, and no commit if it was merged before", () => {
  expect(textOf(merged)).toContain("0123456789ab");
  expect(textOf(merged)).toContain("Not pushed.");
  expect(textOf({ ...merged, wasThere: true } as EpicMergeResult)).not.toContain("0123456789ab");
});

it("names the files of a conflict and how to resolve it", () => {
  const text = textOf({
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
  expect(exit(merged)).toBe(EXIT.done);
  expect(exit({ kind: "stopped" })).toBe(EXIT.error);
  const busy = { kind: "checked-out", into: "main", folder: "/p", isUpdatable: true, why: "" };
  expect(exit(busy as unknown as EpicMergeResult)).toBe(EXIT.notMerged);
});
