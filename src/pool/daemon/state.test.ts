import { expect, it } from "vitest";
import { poolTask as task } from "../../../test/support/claude-list.ts";
import { newTaskBoard } from "../../tasks/board.ts";
import type { DaemonRequest } from "./request.ts";
import { newDaemonState } from "./state.ts";
import type { Slot } from "./worker-slot.ts";

const once: DaemonRequest = {
  instance: "0123abcd",
  list: "chores",
  listFolder: "/list",
  contextFile: "/context.toml",
  workers: 1,
  isOnce: true,
  session: undefined,
};

/** An idle worker that records its requests. */
function idleSlot(requests: string[]): Slot {
  return {
    name: "auto-1",
    view: () => ({ name: "auto-1", state: "idle", given: undefined }),
    give: (id: string) => void requests.push(id),
    dismiss: () => void requests.push("go home"),
  } as unknown as Slot;
}

function newScene() {
  const requests: string[] = [];
  const board = newTaskBoard((id) => `/list/${id}.json`);
  const context = {
    board,
    slots: [idleSlot(requests)],
    logLine: () => undefined,
    uptimeMs: () => 0,
  };
  return { requests, board, state: newDaemonState(once, context) };
}

it("continues if a completed task is reported late", async () => {
  const { requests, board, state } = newScene();
  board.put("a", task("a", { status: "in_progress", owner: "auto-1" }));
  board.put("b", task("b", { blockedBy: ["a"] }));
  await state.act();
  expect(state.isIdle()).toBe(true);
  board.put("a", task("a", { status: "completed" }));
  await state.act();
  expect(requests).toEqual(["b"]);
  expect(state.mode()).toBe("running");
});

it("ends when a second look finds nothing either", async () => {
  const { requests, board, state } = newScene();
  board.put("a", task("a", { status: "completed" }));
  await state.act();
  expect(state.mode()).toBe("running");
  await state.act();
  expect(state.mode()).toBe("draining");
  await state.act();
  expect(requests).toEqual(["go home"]);
  expect(state.isIdle()).toBe(false);
  expect(state.end().kind).toBe("done");
});

it("starts nothing while the budget is spent, and ends when no task runs any more", async () => {
  const { requests, board, state } = newScene();
  board.put("a", task("a"));
  state.setPause("The budget of this day is spent.");
  await state.act();
  expect([state.mode(), state.pause()]).toEqual(["running", "The budget of this day is spent."]);
  await state.act();
  await state.act();
  expect(requests).toEqual(["go home"]);
  expect(state.end().kind).toBe("budget");
});

it("starts tasks again when the budget was raised", async () => {
  const { requests, board, state } = newScene();
  board.put("a", task("a"));
  state.setPause("The budget of this day is spent.");
  await state.act();
  state.setPause(undefined);
  await state.act();
  expect(requests).toEqual(["a"]);
});
