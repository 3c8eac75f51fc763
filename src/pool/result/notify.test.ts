import { expect, it } from "vitest";
import { heldNotification } from "./notify.ts";

const held = { id: "7", subject: "Fix it", occasion: "r1", reason: "Which one?", isQuestion: true };

it("a question asks for an answer; other tasks are only released", () => {
  expect(heldNotification("list", held)).toMatchObject({
    next: 'saga task release 7 --answer "…"',
  });
  expect(heldNotification("list", { ...held, isQuestion: false })).toMatchObject({
    next: "saga task release 7",
  });
});
