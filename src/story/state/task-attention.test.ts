import { expect, it } from "vitest";
import { attentionOfPoolTask } from "./task-attention.ts";

it("a task of the pool needs a person only when it is held or broken", () => {
  const held = { id: "12", state: "needs-you", why: "Which?" };
  expect(attentionOfPoolTask({ ...held, isQuestion: true })).toMatchObject({
    text: "Which?",
    next: 'saga task release 12 --answer "…"',
  });
  expect(attentionOfPoolTask(held)?.next).toBe("saga task release 12");
  expect(attentionOfPoolTask({ id: "12", state: "broken" })?.next).toBe("saga task show 12");
  for (const state of ["ready", "working", "waiting", "completed", "abandoned"]) {
    expect(attentionOfPoolTask({ id: "12", state })).toBeUndefined();
  }
});
