import { expect, it } from "vitest";
import type { ActionResult } from "../../protocol/actions.ts";
import { undoOf } from "./undo.ts";

const result = (json: unknown, isOk = true) => ({ isOk, json }) as ActionResult;

it("undoes a discard by restoring its snapshot", () => {
  const discard = { act: "discard", story: "a" } as const;
  expect(undoOf(discard, result({ snapshot: 2 }))).toEqual({
    act: "restore",
    story: "a",
    number: 2,
  });
  expect(undoOf(discard, result(null))).toBeUndefined();
  expect(undoOf(discard, result({ snapshot: 2 }, false))).toBeUndefined();
});
