import { appendFileSync } from "node:fs";
import { expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { readEnd, readLines } from "./log-lines.ts";

const line = (number: number): string =>
  `${JSON.stringify({ at: "2026-11-15T21:48:00.000Z", type: "warning", message: String(number) })}\n`;
const messages = ({ events }: { readonly events: readonly object[] }): unknown[] =>
  events.map((event) => (event as { message?: unknown }).message);

it("a line that is being written is left for the next read", () => {
  const file = newFolder().write("events.jsonl", line(1) + line(2).slice(0, 20));
  const first = readLines(file, 0);
  expect(messages(first)).toEqual(["1"]);
  appendFileSync(file, line(2).slice(20));
  const second = readLines(file, first.next);
  expect([messages(second), second.from]).toEqual([["2"], first.next]);
});

it("a line longer than a chunk is read whole", () => {
  const long = line(1).replace('"1"', `"${"x".repeat(600_000)}"`);
  const file = newFolder().write("events.jsonl", long + line(2));
  expect(readLines(file, 0).next).toBeGreaterThanOrEqual(long.length);
});

it("the end of a log starts with a whole line", () => {
  const file = newFolder().write("events.jsonl", line(1) + line(2) + line(3));
  expect(messages(readEnd(file, line(3).length + 5))).toEqual(["3"]);
  expect(messages(readEnd(file, 1_000_000))).toEqual(["1", "2", "3"]);
  expect(readEnd(`${file}.gone`, 10)).toEqual({ events: [], from: 0, next: 0 });
});
