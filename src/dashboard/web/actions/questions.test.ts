import { expect, it } from "vitest";
import type { ActionResult } from "../../protocol/actions.ts";
import type { EpicCard, PoolCard, SessionCard } from "../../protocol/messages.ts";
import { removeEpic, stopSession, updateCheckoutQuestion } from "./questions.ts";

const session = (more: Partial<SessionCard>) =>
  ({ name: "a", isHere: true, ...more }) as SessionCard;
const pool = (instance: string) => ({ workers: [{ name: "w1", instance }] }) as unknown as PoolCard;

it("stops no session of another project", () => {
  expect(stopSession(session({ isHere: false }), [])).toBeUndefined();
});

it("stops a worker with its pool, and not if two pools have a worker of that name", () => {
  const worker = session({ worker: "w1" });
  expect(stopSession(worker, [pool("one")])).toMatchObject({
    act: { act: "pool-stop", instance: "one" },
  });
  expect(stopSession(worker, [pool("one"), pool("two")])).toBeUndefined();
});

it("asks about the checkout only when a merge asks, and then repeats the action with permission", () => {
  const asks = { isOk: false, question: "Update it?" } as ActionResult;
  const merge = { act: "merge", story: "a" } as const;
  expect(updateCheckoutQuestion(merge, asks)).toMatchObject({
    act: { ...merge, updateCheckout: true },
  });
  expect(updateCheckoutQuestion({ act: "accept", story: "a", merge: true }, asks)).toMatchObject({
    act: { ...merge, updateCheckout: true },
  });
  expect(updateCheckoutQuestion({ act: "discard", story: "a" }, asks)).toBeUndefined();
  expect(updateCheckoutQuestion(merge, { isOk: false } as ActionResult)).toBeUndefined();
});

it("asks before an epic is removed, and says that its stories stay", () => {
  const epic = (children: number) =>
    ({ id: "e", title: "Epic", children: Array.from({ length: children }) }) as unknown as EpicCard;
  expect(removeEpic(epic(0))).toMatchObject({
    text: "Moves its file to `.saga/removed`.",
    act: { act: "remove-epic", epic: "e" },
  });
  expect(removeEpic(epic(2))).toMatchObject({
    text: "Moves its file to `.saga/removed`. Its 2 stories are kept, without an epic.",
    act: { act: "remove-epic", epic: "e", keepStories: true },
  });
});
