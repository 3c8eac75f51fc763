import { expect, it } from "vitest";
import { withoutPushError } from "./push-story.ts";

it("a run that ended only because of its push is done after a later push", () => {
  expect(withoutPushError({ outcome: "push-failed", pushError: "rejected" })).toMatchObject({
    pushError: undefined,
    outcome: "done",
  });
});

it("a run that failed for another reason stays failed, and loses only its push error", () => {
  expect(withoutPushError({ outcome: "failed", pushError: "rejected" })).toEqual({
    pushError: undefined,
  });
});

it("a run that pushed is not written again", () => {
  expect(withoutPushError({ outcome: "done" })).toBeUndefined();
});
