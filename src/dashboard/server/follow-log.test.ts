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
  const seen: Lines[] = [];
  const state = { canTake: true };
  const follow = followLog(file, from, {
    canTake: () => state.canTake,
    onLines: (lines) => void seen.push(lines),
  });
  const numbers = (): unknown[] => seen.flatMap(({ events }) => events.map((one) => one["number"]));
  return { file, follow, seen, state, numbers };
}

describe("a log that is followed", () => {
  it("is a file at its own place: no link leads elsewhere, and no pipe is waited for", () => {
    const { file, follow, numbers } = following();
    const outside = join(newFolder().path, "outside.jsonl");
    writeFileSync(outside, line(1));
    symlinkSync(outside, file);
    follow.look();
    rmSync(file);
    execFileSync("mkfifo", [file]);
    follow.look();
    expect(readEnd(file, 1000).events).toEqual([]);
    rmSync(file);
    symlinkSync(dirname(outside), `${file}.d`);
    expect(readEnd(join(`${file}.d`, "outside.jsonl"), 1000).events).toEqual([]);
    writeFileSync(file, line(2));
    follow.look();
    expect(numbers()).toEqual([2]);
  });

  it("is waited for when it cannot be opened, whatever the reason", () => {
    const run = join(newFolder().path, "run");
    writeFileSync(run, "no folder");
    const seen: Lines[] = [];
    const follow = followLog(join(run, "events.jsonl"), 0, {
      canTake: () => true,
      onLines: (lines) => void seen.push(lines),
    });
    follow.look();
    rmSync(run);
    mkdirSync(run);
    writeFileSync(join(run, "events.jsonl"), line(1));
    follow.look();
    // Nor does it matter when its place cannot be looked at any more.
    renameSync(run, `${run}.old`);
    writeFileSync(run, "no folder");
    appendFileSync(join(`${run}.old`, "events.jsonl"), line(2));
    follow.look();
    expect(seen.flatMap(({ events }) => events.map((one) => one["number"]))).toEqual([1, 2]);
  });

  it("is told line by line, each once, wherever the writes are cut", () => {
    const { file, follow, numbers } = following();
    const bytes = Buffer.from([1, 2, 3].map((number) => line(number)).join(""));
    for (let at = 0; at < bytes.length; at++) {
      appendFileSync(file, bytes.subarray(at, at + 1));
      follow.look();
    }
    expect(numbers()).toEqual([1, 2, 3]);
  });

  it("goes on from the offset that it was told, and not before", () => {
    const before = following();
    writeFileSync(before.file, line(1) + line(2));
    before.follow.look();
    const next = before.seen.at(-1)?.next ?? 0;
    const again: unknown[] = [];
    const follow = followLog(before.file, next, {
      canTake: () => true,
      onLines: ({ events }) => void again.push(...events.map((one) => one["number"])),
    });
    appendFileSync(before.file, line(3));
    follow.look();
    follow.close();
    expect(again).toEqual([3]);
  });

  it("says where its lines are, without a gap", () => {
    const { file, follow, seen } = following();
    for (let number = 0; number < 5; number++) {
      appendFileSync(file, line(number) + line(number));
      follow.look();
    }
    expect(seen[0]?.from).toBe(0);
    seen.slice(1).forEach(({ from }, at) => expect(from).toBe(seen[at]?.next));
  });

  it("waits for a file that is not there yet", () => {
    const { file, follow, numbers } = following();
    follow.look();
    writeFileSync(file, line(1));
    follow.look();
    expect(numbers()).toEqual([1]);
  });

  it("passes over a line that a crash cut off, and takes nothing along with it", () => {
    const { file, follow, numbers } = following();
    writeFileSync(file, `${line(1)}{"at":"2026-`);
    follow.look();
    appendFileSync(file, `\n${line(2)}`);
    follow.look();
    expect(numbers()).toEqual([1, 2]);
  });

  it("reads a file that was replaced to its end, and then the new one from its beginning", () => {
    const { file, follow, numbers } = following();
    writeFileSync(file, line(1));
    follow.look();
    appendFileSync(file, line(2));
    renameSync(file, `${file}.1`);
    appendFileSync(`${file}.1`, line(3));
    writeFileSync(file, line(4));
    follow.look();
    expect(numbers()).toEqual([1, 2, 3, 4]);
  });

  it("begins anew with a file that was cut short", () => {
    const { file, follow, numbers } = following();
    writeFileSync(file, line(1) + line(2));
    follow.look();
    truncateSync(file);
    appendFileSync(file, line(3));
    follow.look();
    expect(numbers()).toEqual([1, 2, 3]);
  });

  it("keeps what it has when the file is removed", () => {
    const { file, follow, numbers } = following();
    writeFileSync(file, line(1));
    follow.look();
    rmSync(file);
    follow.look();
    writeFileSync(file, line(2));
    follow.look();
    expect(numbers()).toEqual([1, 2]);
  });

  it("leaves in the file what its reader cannot take, and goes on when it can", () => {
    const { file, follow, state, numbers } = following();
    writeFileSync(file, line(1));
    state.canTake = false;
    follow.look();
    appendFileSync(file, line(2));
    expect(numbers()).toEqual([]);
    state.canTake = true;
    follow.goOn();
    expect(numbers()).toEqual([1, 2]);
  });

  it("reads a line that is longer than a chunk, and a log of many chunks", () => {
    const { file, follow, numbers, seen } = following();
    writeFileSync(file, line(0, "x".repeat(700_000)));
    const many = Array.from({ length: 20_000 }, (_, at) => line(at + 1));
    appendFileSync(file, many.join(""));
    follow.look();
    expect(numbers()).toEqual(Array.from({ length: 20_001 }, (_, at) => at));
    expect(seen.length).toBeGreaterThan(3);
  });

  it("is told no more once it is left", () => {
    const { file, follow, numbers } = following();
    follow.close();
    writeFileSync(file, line(1));
    follow.look();
    expect(numbers()).toEqual([]);
  });
});

it("reads the end of a log without a half line at its front", () => {
  const file = join(newFolder().path, "events.jsonl");
  const all = [1, 2, 3, 4].map((number) => line(number)).join("");
  writeFileSync(file, `${all}{"half`);
  const { events, next } = readEnd(file, line(1).length * 2);
  expect(events.map((one) => one["number"])).toEqual([4]);
  expect(next).toBe(Buffer.byteLength(all));
});
