import { expect, it } from "vitest";
import type { FromPage } from "../../protocol/messages.ts";
import { createOutputStore } from "./output-store.ts";

function newStore() {
  const sent: FromPage[] = [];
  const store = createOutputStore(
    (message) => void sent.push(message),
    (notify) => notify(),
  );
  const output = (text: string, isStart = false): void =>
    store.receive({ type: "output", lane: "here.main", isStart, text });
  return { store, sent, output };
}

it("follows a lane while a component watches it, also after a new connection", () => {
  const { store, sent } = newStore();
  const leave = store.watch("here.main", () => undefined);
  const leaveToo = store.watch("here.main", () => undefined);
  store.followAgain();
  leave();
  leaveToo();
  store.followAgain();
  expect(sent.map(({ type }) => type)).toEqual(["follow-output", "follow-output", "leave-output"]);
});

it("adds what arrives, starts again with the next check, and notifies", () => {
  const { store, output } = newStore();
  let times = 0;
  store.watch("here.main", () => void times++);
  expect(store.text("here.main")).toBeUndefined();
  output("one\n", true);
  output("two\n");
  expect(store.text("here.main")).toBe("one\ntwo\n");
  output("again\n", true);
  expect(store.text("here.main")).toBe("again\n");
  expect(times).toBe(3);
});

it("ignores a lane that is not watched, and keeps only the end of a long output", () => {
  const { store, output } = newStore();
  output("one\n", true);
  expect(store.text("here.main")).toBeUndefined();
  store.watch("here.main", () => undefined);
  output("x".repeat(99_999), true);
  output("\nlast line\n");
  expect(store.text("here.main")).toBe("last line\n");
});
