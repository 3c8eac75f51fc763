import { expect, it } from "vitest";
import { attentionOfPoolTask } from "../../story/state/task-attention.ts";
import { poolNeedRow, poolReadyRow } from "./pool-attention.ts";

it.each([
  ["needs-you", "needs you", "blocked"],
  ["broken", "broken", "failed"],
])("a task that is %s has a row with the next command", (kind, word, state) => {
  const attention = attentionOfPoolTask({
    id: "7",
    state: kind,
    why: "Which one?\n\nI cannot decide.",
  });
  if (attention === undefined) throw new Error("The task needs no person.");
  const row = poolNeedRow({ list: "l", task: "7", subject: "Do it", attention });
  expect(row).toMatchObject({ id: "pool task 7", word, state, next: attention.next });
  expect(row.about).toEqual(["Do it", expect.stringMatching(/Which one\?$/)]);
});

it("ready tasks have one row for their list", () => {
  expect(poolReadyRow({ list: "l", tasks: 1 })).toMatchObject({
    id: "pool l",
    word: "1 loose task ready",
  });
  expect(poolReadyRow({ list: "l", tasks: 2 })).toMatchObject({
    word: "2 loose tasks ready",
    next: "saga auto",
  });
});
