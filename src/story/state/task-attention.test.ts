import { expect, it } from "vitest";
import { attentionOfPoolTask } from "./task-attention.ts";

it("a task of the pool needs a person only when it asks or is broken", () => {
  expect(attentionOfPoolTask({ id: "12", state: "needs-you", why: "Which?" })).toMatchObject({
    text: "Which?",
    next: 'saga task release 12 --answer "…"',
  });
  expect(attentionOfPoolTask({ id: "12", state: "broken" })?.next).toBe("saga task show 12");
  for (const state of ["ready", "working", "waiting", "completed", "abandoned"]) {
    expect(attentionOfPoolTask({ id: "12", state })).toBeUndefined();
  }
});
