import { join } from "node:path";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { thisProcess } from "../../machine/processes/process-id.ts";
import { openClaimerFile, parseClaimer } from "./claimer-file.ts";

const identity = { owner: "auto-1", instance: "1a2b3c4d", ttlMs: 90_000 };

it("a claim is complete as soon as it exists, and of one claimer only", () => {
  const { path } = newFolder();
  const open = (name: string) =>
    openClaimerFile(join(path, name), { ...identity, ...thisProcess(), owner: name });
  const [one, two] = [open("auto-1"), open("auto-2")];
  const claim = join(path, "7.claim");
  expect(one.linkTo(claim)).toBe(true);
  expect(two.linkTo(claim)).toBe(false);
  expect(one.isAt(claim)).toBe(true);
  expect(two.isAt(claim)).toBe(false);
  expect(parseClaimer(readFileSync(claim, "utf8"))).toMatchObject({ owner: "auto-1" });
  one.empty(claim);
  expect(parseClaimer(readFileSync(claim, "utf8"))).toBeUndefined();
  for (const file of [one, two]) file.close({ isOver: true });
});

it.each([
  ["an empty file: it was released", ""],
  ["a file cut off by a power cut", '{"owner":"auto-1"'],
  ["another file", "[]"],
  ["a missing field", JSON.stringify({ ...identity, ...thisProcess() })],
  ["a wrong type", JSON.stringify({ ...identity, ...thisProcess(), nonce: 7 })],
])("%s claims nothing", (_, text) => {
  expect(parseClaimer(text)).toBeUndefined();
});
