import { execFileSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  mkdirSync,
  renameSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { claudeTask, newList } from "../../../test/support/claude-list.ts";
import { readTaskFile, taskIdOf } from "./file.ts";

describe("a task file", () => {
  it("is read with everything that is in it", async () => {
    const task = claudeTask("1", { metadata: { x: 1 }, extra: true });
    expect(await readTaskFile(newList(task), "1")).toEqual({ kind: "task", task });
  });

  it("may have `null` as its owner, as other programs write it", async () => {
    const list = newList(claudeTask("1"));
    writeFileSync(join(list, "1.json"), JSON.stringify({ ...claudeTask("1"), owner: null }));
    expect(await readTaskFile(list, "1")).toEqual({ kind: "task", task: claudeTask("1") });
  });

  it("that is not there is gone", async () => {
    expect(await readTaskFile(newList(claudeTask("1")), "2")).toEqual({ kind: "gone" });
  });

  it.each([
    ["", "invalid-json", "is not JSON"],
    ['{"id":"1",}', "invalid-json", "is not JSON"],
    [`\ufeff${JSON.stringify(claudeTask("1"))}`, "invalid-json", "is not JSON"],
    ["[]", "invalid-task", "must be an object"],
    ["{}", "invalid-task", "`subject` is missing."],
    [
      JSON.stringify({ ...claudeTask("1"), blockedBy: "2" }),
      "invalid-task",
      "`blockedBy` must be a list, but is a string.",
    ],
    [
      JSON.stringify({ ...claudeTask("1"), activeForm: null }),
      "invalid-task",
      "`activeForm` must be a string",
    ],
    [JSON.stringify(claudeTask("2")), "invalid-task", 'Its `id` is "2".'],
  ])("that is not valid says why: %j", async (text, kind, sentence) => {
    const list = newList(claudeTask("1"));
    const path = join(list, "1.json");
    writeFileSync(path, text);
    expect(await readTaskFile(list, "1")).toEqual({
      kind,
      message: expect.stringContaining(sentence) as string,
    });
    expect(await readTaskFile(list, "1")).toMatchObject({
      message: expect.stringContaining(path) as string,
    });
  });

  it("that cannot be read says why", async () => {
    const list = newList(claudeTask("1"));
    mkdirSync(join(list, "2.json"));
    symlinkSync("3.json", join(list, "3.json"));
    const folder = { kind: "unreadable", message: `${join(list, "2.json")} is a folder.` };
    expect(await readTaskFile(list, "2")).toEqual(folder);
    expect(await readTaskFile(list, "3")).toMatchObject({ kind: "unreadable" });
  });

  it("that never ends, or is not a file, is not waited for", async () => {
    const list = newList();
    const at = (id: string): string => join(list, `${id}.json`);
    execFileSync("mkfifo", [at("1")]);
    symlinkSync("1.json", at("2"));
    symlinkSync("/dev/zero", at("3"));
    const server = createServer().listen(at("4"));
    onTestFinished(() => void server.close());
    await once(server, "listening");
    for (const id of ["1", "2", "3", "4"]) {
      const message = `${at(id)} is not a regular file.`;
      expect(await readTaskFile(list, id)).toEqual({ kind: "unreadable", message });
    }
  });

  it("that is far too large for one is not read", async () => {
    const list = newList(claudeTask("1"));
    truncateSync(join(list, "1.json"), 2 ** 33);
    expect(await readTaskFile(list, "1")).toEqual({
      kind: "unreadable",
      message: `${join(list, "1.json")} is too large.`,
    });
  });

  it("may be a link to one: a person may keep it elsewhere", async () => {
    const list = newList(claudeTask("1"));
    renameSync(join(list, "1.json"), join(list, "..", "mine"));
    symlinkSync("../mine", join(list, "1.json"));
    expect(await readTaskFile(list, "1")).toEqual({ kind: "task", task: claudeTask("1") });
  });

  it.skipIf(process.getuid?.() === 0)("that may not be read says so", async () => {
    const list = newList(claudeTask("1"));
    chmodSync(join(list, "1.json"), 0);
    expect(await readTaskFile(list, "1")).toEqual({
      kind: "unreadable",
      message: `${join(list, "1.json")} cannot be read: permission denied.`,
    });
  });
});

it("a name is a task's when Claude would see it", () => {
  expect(
    ["1.json", "a_B-2.json", "x.json.lock", ".1.json", "a.b.json", "a b.json"].map(taskIdOf),
  ).toEqual(["1", "a_B-2", undefined, undefined, undefined, undefined]);
});
