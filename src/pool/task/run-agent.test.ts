import { expect, it } from "vitest";
import { createdTaskId } from "./run-agent.ts";

it("knows the task that its agent has added", () => {
  expect(createdTaskId({ task: { id: "12", subject: "More" } })).toBe("12");
});

it.each([[undefined], [null], ["12"], [{ id: "12" }], [{ task: null }], [{ task: { id: 12 } }]])(
  "knows none from the answer %j",
  (answer) => {
    expect(createdTaskId(answer)).toBeUndefined();
  },
);
