import { expect, it } from "vitest";
import { until } from "../../../test/support/until.ts";
import type { Io } from "../program/io.ts";
import { watchResult } from "./watch-result.ts";

function newWatch(isTerminal: boolean, json: boolean) {
  let written = "";
  let state = "one";
  const stop = new AbortController();
  const io = {
    isTerminal,
    rows: 10,
    hasColour: false,
    writeOut: (text: string) => void (written += text),
    untilStopped: () => stop.signal,
  } as unknown as Io;
  const read = async () => ({ json: { state }, text: () => `${state}\n` });
  const over = watchResult(io, { json, read, everyMs: 2 });
  return {
    over,
    written: () => written,
    become: (next: string) => void (state = next),
    stop: () => stop.abort(),
  };
}

it("draws over itself on a terminal, and gives it back", async () => {
  const watch = newWatch(true, false);
  await until(() => watch.written().split("one").length > 2);
  watch.become("two");
  await until(() => watch.written().includes("two"));
  watch.stop();
  await watch.over;
  expect(watch.written()).toContain("Ctrl-C to leave");
  expect(watch.written()).toContain("\u001b[3A\r\u001b[J");
  expect(watch.written().endsWith("\u001b[?7h\u001b[?25h")).toBe(true);
});

it.each([
  ["a line of JSON", true, '{"state":"one"}\n{"state":"two"}\n'],
  ["the text", false, "one\ntwo\n"],
])("writes %s for each change elsewhere", async (_, json, expected) => {
  const watch = newWatch(false, json);
  await until(() => watch.written() !== "");
  watch.become("two");
  await until(() => watch.written().includes("two"));
  watch.stop();
  await watch.over;
  expect(watch.written()).toBe(expected);
});
