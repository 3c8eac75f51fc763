import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newRepository } from "../../../test/support/repository.ts";
import { stageArriving } from "./uncommitted-edit.ts";

const PATH = "plan.txt";

/** A checkout of a version that another one follows; a person's text is not committed. */
async function newCheckout(mine: string) {
  const test = newRepository();
  test.write(PATH, "one\n");
  test.git("add", "--all");
  test.git("commit", "--quiet", "--message=before");
  const from = test.git("rev-parse", "HEAD");
  test.write(PATH, "two\n");
  test.git("commit", "--quiet", "--all", "--message=after");
  const to = test.git("rev-parse", "HEAD");
  test.git("reset", "--quiet", "--hard", from);
  test.write(PATH, mine);
  const { git } = await test.open();
  const update = (edited: string, arrived: string): string =>
    `${edited.trim()}+${arrived.trim()}\n`;
  const stage = (range = { from, to }) => stageArriving(git, { path: PATH, update }, range);
  return { test, from, to, stage };
}

it("lets a fast-forward pass by an edited file, which then takes over what arrived", async () => {
  const { test, to, stage } = await newCheckout("mine\n");
  const staged = await stage();
  test.git("merge", "--quiet", "--ff-only", to);
  expect(test.read(PATH)).toBe("mine\n");
  await staged?.finish();
  expect(test.read(PATH)).toBe("mine+two\n");
  expect(test.git("status", "--porcelain")).toContain(` M ${PATH}`);
});

it("leaves no trace when git refused all the same", async () => {
  const { test, stage } = await newCheckout("mine\n");
  const before = test.git("status", "--porcelain");
  const staged = await stage();
  expect(test.git("diff", "--cached", "--name-only")).toBe(PATH);
  await staged?.undo();
  expect(test.git("status", "--porcelain")).toBe(before);
  expect(test.read(PATH)).toBe("mine\n");
});

it("does nothing for a file that arrives unchanged, or that the person has staged or deleted", async () => {
  const { test, from, stage } = await newCheckout("mine\n");
  expect(await stage({ from, to: from })).toBeUndefined();
  test.git("add", PATH);
  expect(await stage()).toBeUndefined();
  test.git("reset", "--quiet");
  rmSync(join(test.path, PATH));
  expect(await stage()).toBeUndefined();
});
