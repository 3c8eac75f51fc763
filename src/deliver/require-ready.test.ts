import { expect, it } from "vitest";
import { mergeRefusal } from "./require-ready.ts";

const BLOCKER = { rule: "size", message: "412 lines were changed.", key: "lines" } as const;

it("a story with every gate passed is not refused", () => {
  expect(mergeRefusal("a", { missing: [], mergeBlockers: [] })).toBeUndefined();
});

it("findings come before gates that have not run, with both ways out", () => {
  const refusal = mergeRefusal("a", {
    missing: ["its diff was not checked"],
    mergeBlockers: [BLOCKER],
  });
  expect(refusal?.message).toBe(
    "Cannot merge a: its gate refused it:\n  size: 412 lines were changed.",
  );
  expect(refusal?.hint).toContain('`saga send-back a "…"`');
  expect(refusal?.hint).toContain("`saga accept a --override size --why");
});

it("a gate that has not run on this code can be run", () => {
  const refusal = mergeRefusal("a", { missing: ["its check `x` was not run"], mergeBlockers: [] });
  expect(refusal?.message).toBe(
    "Cannot merge a: its gate has not run on this code (its check `x` was not run).",
  );
  expect(refusal?.hint).toContain("`saga run a`");
});
