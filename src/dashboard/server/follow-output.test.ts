import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newProject } from "../../../test/support/project.ts";
import { followOutput, type OutputChunk } from "./follow-output.ts";

function follow() {
  const file = join(newProject().path, "output.log");
  const chunks: OutputChunk[] = [];
  const socket = { canSend: true };
  const followed = followOutput(file, {
    canSend: () => socket.canSend,
    onOutput: (chunk) => void chunks.push(chunk),
  });
  return { file, chunks, socket, followed, taken: () => chunks.splice(0) };
}

it("sends what is added, once, and never half a letter", () => {
  const { file, followed, taken } = follow();
  followed.read();
  expect(taken()).toEqual([{ isStart: true, text: "" }]);
  const bytes = Buffer.from("grün\n");
  writeFileSync(file, bytes.subarray(0, 3));
  followed.read();
  appendFileSync(file, bytes.subarray(3));
  followed.read();
  followed.read();
  expect(taken()).toEqual([
    { isStart: false, text: "gr" },
    { isStart: false, text: "ün\n" },
  ]);
});

it("starts again when the next check empties the file", () => {
  const { file, followed, taken } = follow();
  writeFileSync(file, "a long first check\n");
  followed.read();
  taken();
  writeFileSync(file, "next\n");
  followed.read();
  expect(taken()).toEqual([{ isStart: true, text: "next\n" }]);
});

it("sends only the end of a long output first", () => {
  const { file, followed, taken } = follow();
  writeFileSync(file, `${"x".repeat(200_000)}end\n`);
  followed.read();
  const [first, ...more] = taken();
  expect(first?.isStart).toBe(true);
  expect(first?.text).toHaveLength(64 * 1024);
  expect(first?.text.endsWith("end\n")).toBe(true);
  expect(more).toEqual([]);
});

it("waits for a page that does not read, and sends the rest later", () => {
  const { file, followed, socket, taken } = follow();
  writeFileSync(file, "one\n");
  socket.canSend = false;
  followed.read();
  expect(taken()).toEqual([]);
  socket.canSend = true;
  followed.resume();
  expect(taken()).toEqual([{ isStart: true, text: "one\n" }]);
});
