import { expect, it } from "vitest";
import type { StoryView } from "../../store/views/overview.ts";
import type { StoryRecord } from "../../store/project/read.ts";
import type { StoryState } from "../../story/state/state.ts";
import { whyNotStartable } from "./require-startable.ts";

const why = (state: StoryState, more: object = {}) =>
  whyNotStartable({
    record: { id: "a", source: "project" },
    state,
    waitsFor: ["b", "c"],
    openBlockers: [],
    ...more,
  } as unknown as StoryView<StoryRecord>);

it("starts a story that was never started, was interrupted or failed", () => {
  expect((["ready", "killed", "failed", "sent-back"] as const).map((state) => why(state))).toEqual(
    Array.from({ length: 4 }),
  );
});

it("says what a story waits for, and who works on it", () => {
  expect(why("waiting")?.message).toContain("b, c");
  expect(why("running", { lease: { record: { owner: "me" } } })).toMatchObject({ code: "in-use" });
});

it("starts nothing in the archive, whatever its state", () => {
  expect(why("ready", { record: { id: "a", source: "archive" } })?.message).toContain("archive");
});
