import { expect, it } from "vitest";
import { markFor } from "./pull-request.ts";

it("a draft becomes ready when the story is done", () => {
  expect(markFor({ state: "open", isDraft: true }, true)).toBe("ready");
  expect(markFor({ state: "open", isDraft: false }, true)).toBeUndefined();
});

it("a ready one becomes a draft again when the story has work", () => {
  expect(markFor({ state: "open", isDraft: false }, false)).toBe("draft");
  expect(markFor({ state: "open", isDraft: true }, false)).toBeUndefined();
});

it("a merged or closed one is left alone", () => {
  for (const state of ["merged", "closed"] as const) {
    expect(markFor({ state, isDraft: true }, true)).toBeUndefined();
    expect(markFor({ state, isDraft: false }, false)).toBeUndefined();
  }
});
