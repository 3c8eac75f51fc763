import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { followLog } from "./follow-log.ts";
import { readEnd, type Lines } from "./log-lines.ts";

const line = (number: number, more = ""): string =>
  `${JSON.stringify({ at: "2026-11-15T21:48:00.000Z", type: "agent.said", number, text: `é ${more}` })}\n`;

function following(from = 0) {
  const file = join(newFolder().path, "events.jsonl");
  const sent: Lines[] = [];
  const state = { canSend: true };
  const follow = followLog(file, from, {
    canSend: () => state.canSend,
    onLines: (lines) => void sent.push(lines),
  });
  const numbers = (): unknown[] => sent.flatMap(({ events }) => events.map((one) => one["number"]));
  return { file, follow, sent, state, numbers };
}

describe("a followed log", () => {
  it("is a regular file: links are not followed, and a named pipe does not block", () => {
    const { file, follow, numbers } = following();
    const outside = join(newFolder().path, "outside.jsonl");
    writeFileSync(outside, line(1));
    symlinkSync(outside, file);
    follow.read();
    rmSync(file);
    execFileSync("mkfifo", [file]);
    follow.read();
    expect(readEnd(file, 1000).events).toEqual([]);
    rmSync(file);
    symlinkSync(dirname(outside), `${file}.d`);
    expect(readEnd(join(`${file}.d`, "outside.jsonl"), 1000).events).toEqual([]);
    writeFileSync(file, line(2));
    follow.read();
    expect(numbers()).toEqual([2]);
  });

  it("is read later if it cannot be opened now", () => {
    const run = join(newFolder().path, "run");
    writeFileSync(run, "no folder");
    const sent: Lines[] = [];
    const follow = followLog(join(run, "events.jsonl"), 0, {
      canSend: () => true,
      onLines: (lines) => void sent.push(lines),
    });
    follow.read();
    rmSync(run);
    mkdirSync(run);
    writeFileSync(join(run, "events.jsonl"), line(1));
    follow.read();
    // The open file is read on even if its path is gone.
    renameSync(run, `${run}.old`);
    writeFileSync(run, "no folder");
    appendFileSync(join(`${run}.old`, "events.jsonl"), line(2));
    follow.read();
    expect(sent.flatMap(({ events }) => events.map((one) => one["number"]))).toEqual([1, 2]);
  });

  it("is sent line by line, each once, wherever writes are split", () => {
    const { file, follow, numbers } = following();
    const bytes = Buffer.from([1, 2, 3].map((number) => line(number)).join(""));
    for (let at = 0; at < bytes.length; at++) {
      appendFileSync(file, bytes.subarray(at, at + 1));
      follow.read();
    }
    expect(numbers()).toEqual([1, 2, 3]);
  });

  it("starts at the given offset", () => {
    const before = following();
    writeFileSync(before.file, line(1) + line(2));
    before.follow.read();
    const next = before.sent.at(-1)?.next ?? 0;
    const again: unknown[] = [];
    const follow = followLog(before.file, next, {
      canSend: () => true,
      onLines: ({ events }) => void again.push(...events.map((one) => one["number"])),
    });
    appendFileSync(before.file, line(3));
    follow.read();
    follow.close();
    expect(again).toEqual([3]);
  });

  it("reports offsets without gaps", () => {
    const { file, follow, sent } = following();
    for (let number = 0; number < 5; number++) {
      appendFileSync(file, line(number) + line(number));
      follow.read();
    }
    expect(sent[0]?.from).toBe(0);
    sent.slice(1).forEach(({ from }, at) => expect(from).toBe(sent[at]?.next));
  });

  it("waits for a file that does not exist yet", () => {
    const { file, follow, numbers } = following();
    follow.read();
    writeFileSync(file, line(1));
    follow.read();
    expect(numbers()).toEqual([1]);
  });

  it("skips a line that a crash cut off, and only that line", () => {
    const { file, follow, numbers } = following();
    writeFileSync(file, `${line(1)}{"at":"2026-`);
    follow.read();
    appendFileSync(file, `\n${line(2)}`);
    follow.read();
    expect(numbers()).toEqual([1, 2]);
  });

  it("reads a replaced file to its end, then the new one from its start", () => {
    const { file, follow, numbers } = following();
    writeFileSync(file, line(1));
    follow.read();
    appendFileSync(file, line(2));
    renameSync(file, `${file}.1`);
    appendFileSync(`${file}.1`, line(3));
    writeFileSync(file, line(4));
    follow.read();
    expect(numbers()).toEqual([1, 2, 3, 4]);
  });

  it("starts over with a truncated file", () => {
    const { file, follow, numbers } = following();
    writeFileSync(file, line(1) + line(2));
    follow.read();
    truncateSync(file);
    appendFileSync(file, line(3));
    follow.read();
    expect(numbers()).toEqual([1, 2, 3]);
  });

  it("survives the removal of its file", () => {
    const { file, follow, numbers } = following();
    writeFileSync(file, line(1));
    follow.read();
    rmSync(file);
    follow.read();
    writeFileSync(file, line(2));
    follow.read();
    expect(numbers()).toEqual([1, 2]);
  });

  it("leaves lines in the file while its listener cannot send, and resumes later", () => {
    const { file, follow, state, numbers } = following();
    writeFileSync(file, line(1));
    state.canSend = false;
    follow.read();
    appendFileSync(file, line(2));
    expect(numbers()).toEqual([]);
    state.canSend = true;
    follow.resume();
    expect(numbers()).toEqual([1, 2]);
  });

  it("reads a line longer than a chunk, and a log of many chunks", () => {
    const { file, follow, numbers, sent } = following();
    writeFileSync(file, line(0, "x".repeat(700_000)));
    const many = Array.from({ length: 20_000 }, (_, at) => line(at + 1));
    appendFileSync(file, many.join(""));
    follow.read();
    expect(numbers()).toEqual(Array.from({ length: 20_001 }, (_, at) => at));
    expect(sent.length).toBeGreaterThan(3);
  });

  it("sends nothing after close", () => {
    const { file, follow, numbers } = following();
    follow.close();
    writeFileSync(file, line(1));
    follow.read();
    expect(numbers()).toEqual([]);
  });
});

it("skips the cut first line at the end of a log", () => {
  const file = join(newFolder().path, "events.jsonl");
  const all = [1, 2, 3, 4].map((number) => line(number)).join("");
  writeFileSync(file, `${all}{"half`);
  const { events, next } = readEnd(file, line(1).length * 2);
  expect(events.map((one) => one["number"])).toEqual([4]);
  expect(next).toBe(Buffer.byteLength(all));
});
