import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { newRepository } from "../../../test/support/repository.ts";
import { openStore } from "../../store/file-store.ts";
import type { CommandContext } from "../program/command.ts";
import { copyProject } from "./copy.ts";

/** On Linux, `/dev/shm` and `/tmp` are usually two file systems. */
const elsewhere = (path: string): string | undefined =>
  ["/dev/shm", "/tmp"].find((folder) => existsSync(folder) && deviceOf(folder) !== deviceOf(path));
const deviceOf = (path: string): number => statSync(path).dev;

it("copies a project to another file system", async ({ skip }) => {
  const test = newRepository();
  const other = elsewhere(test.path);
  if (other === undefined) return skip("There is only one file system.");
  const folder = mkdtempSync(join(other, "saga-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const copy = join(folder, "project");
  const context = { io: { env: test.env } } as CommandContext;
  await copyProject(context, openStore(test.path), copy);
  expect(test.gitIn(copy, "rev-parse", "main")).toBe(test.git("rev-parse", "main"));
  expect(existsSync(join(copy, "read me.txt"))).toBe(true);
});
