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
  return { file, chunks, socket, followed, received: () => chunks.splice(0) };
}

it("sends what is added, once, and never half a letter", () => {
  const { file, followed, received } = follow();
  followed.read();
  expect(received()).toEqual([{ isStart: true, text: "" }]);
  const bytes = Buffer.from("grün\n");
  writeFileSync(file, bytes.subarray(0, 3));
  followed.read();
  appendFileSync(file, bytes.subarray(3));
  followed.read();
  followed.read();
  expect(received()).toEqual([
    { isStart: false, text: "gr" },
    { isStart: false, text: "ün\n" },
  ]);
});

it("starts again when the next check empties the file", () => {
  const { file, followed, received } = follow();
  writeFileSync(file, "a long first check\n");
  followed.read();
  received();
  writeFileSync(file, "next\n");
  followed.read();
  expect(received()).toEqual([{ isStart: true, text: "next\n" }]);
});

it("sends only the end of a long output first", () => {
  const { file, followed, received } = follow();
  writeFileSync(file, `${"x".repeat(200_000)}end\n`);
  followed.read();
  const [first, ...more] = received();
  expect(first?.isStart).toBe(true);
  expect(first?.text).toHaveLength(64 * 1024);
  expect(first?.text.endsWith("end\n")).toBe(true);
  expect(more).toEqual([]);
});

it("waits for a page that does not read, and sends the rest later", () => {
  const { file, followed, socket, received } = follow();
  writeFileSync(file, "one\n");
  socket.canSend = false;
  followed.read();
  expect(received()).toEqual([]);
  socket.canSend = true;
  followed.resume();
  expect(received()).toEqual([{ isStart: true, text: "one\n" }]);
});
