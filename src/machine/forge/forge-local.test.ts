import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  bundle,
  killAtHook,
  plainEnv,
  runNode,
  type Ended,
} from "../../../test/support/programs.ts";
import { newFolder } from "../../../test/support/project.ts";
import { openLocalForge } from "./forge-local.ts";
import type { NewPullRequest, PullRequest } from "./forge.ts";

const wanted = (head: string, more: Partial<NewPullRequest> = {}): NewPullRequest => ({
  head,
  base: "main",
  title: `Story: ${head}`,
  body: "What it is about.",
  ...more,
});

/** A forge whose clock advances one second per call. */
function newForge() {
  const folder = join(newFolder().path, "saga", "pulls");
  let seconds = 0;
  const now = (): number => Date.UTC(2030, 0, 1, 0, 0, seconds++);
  const path = (number: number): string => join(folder, `${number}.json`);
  return {
    folder,
    forge: openLocalForge(folder, now),
    record: (number: number) => JSON.parse(readFileSync(path(number), "utf8")) as object,
    put: (number: number, text: string) => writeFileSync(path(number), text),
  };
}

describe("a local pull request", () => {
  it("is a draft that is found by its branch and its number", async () => {
    const { forge, record } = newForge();
    const pull = await forge.openDraft(wanted("topic"));
    expect(pull).toEqual({
      ref: "local/1",
      number: 1,
      title: "Story: topic",
      body: "What it is about.",
      isDraft: true,
      state: "open",
      head: "topic",
      base: "main",
    });
    expect(await forge.find("topic")).toEqual(pull);
    expect(await forge.view(1)).toEqual(pull);
    expect(record(1)).toMatchObject({
      createdAt: "2030-01-01T00:00:00.000Z",
      updatedAt: "2030-01-01T00:00:00.000Z",
    });
  });

  it("that does not exist is not found", async () => {
    const { forge } = newForge();
    expect(await forge.find("topic")).toBeUndefined();
    expect(await forge.view(1)).toBeUndefined();
    await expect(forge.update(1, { title: "x" })).rejects.toMatchObject({ code: "not-found" });
  });

  it("is not opened twice while it is open, and keeps its text", async () => {
    const { forge } = newForge();
    const first = await forge.openDraft(wanted("topic"));
    expect(await forge.openDraft(wanted("topic", { title: "Other" }))).toEqual(first);
    expect(await forge.openDraft(wanted("other"))).toMatchObject({ number: 2 });
  });

  it("gets a new text, and keeps the fields that are not given", async () => {
    const { forge, record } = newForge();
    await forge.openDraft(wanted("topic"));
    await forge.update(1, { body: "New." });
    expect(await forge.update(1, { title: "Newer" })).toMatchObject({
      title: "Newer",
      body: "New.",
    });
    expect(record(1)).toMatchObject({ updatedAt: "2030-01-01T00:00:02.000Z" });
  });

  it("becomes ready once, when marked repeatedly", async () => {
    const { forge, record } = newForge();
    await forge.openDraft(wanted("topic"));
    expect(await forge.markReady(1)).toMatchObject({ isDraft: false, state: "open" });
    const before = record(1);
    expect(await forge.markReady(1)).toMatchObject({ isDraft: false });
    expect(record(1)).toEqual(before);
    expect(before).toMatchObject({ readyAt: "2030-01-01T00:00:01.000Z" });
  });

  it("becomes a draft again once while it is open, and then ready", async () => {
    const { forge, record } = newForge();
    await forge.openDraft(wanted("topic"));
    await forge.markReady(1);
    expect(await forge.markDraft(1)).toMatchObject({ isDraft: true, state: "open" });
    const before = record(1);
    expect(before).not.toHaveProperty("readyAt");
    expect(await forge.markDraft(1)).toMatchObject({ isDraft: true });
    expect(record(1)).toEqual(before);
    expect(await forge.markReady(1)).toMatchObject({ isDraft: false });
    await forge.markMerged(1, "abc123");
    expect(await forge.markDraft(1)).toMatchObject({ isDraft: false, state: "merged" });
  });

  it("stays merged, with the commit; its branch may get another", async () => {
    const { forge, record } = newForge();
    await forge.openDraft(wanted("topic"));
    await forge.markReady(1);
    expect(await forge.markMerged(1, "abc123")).toMatchObject({ state: "merged" });
    expect(await forge.markMerged(1, "def456")).toMatchObject({ state: "merged" });
    expect(await forge.close(1)).toMatchObject({ state: "merged" });
    expect(record(1)).toMatchObject({ mergeCommit: "abc123" });
    expect(await forge.find("topic")).toMatchObject({ number: 1, state: "merged" });
    expect(await forge.openDraft(wanted("topic"))).toMatchObject({ number: 2, state: "open" });
    expect(await forge.find("topic")).toMatchObject({ number: 2 });
  });

  it("that is closed cannot become ready, and the newest of a branch is the one found", async () => {
    const { forge } = newForge();
    await forge.openDraft(wanted("topic"));
    await forge.close(1);
    await expect(forge.markReady(1)).rejects.toMatchObject({ code: "not-ready" });
    await forge.openDraft(wanted("topic"));
    await forge.close(2);
    expect(await forge.find("topic")).toMatchObject({ number: 2, state: "closed" });
  });

  it.each([
    ["a title like an option", { title: "--force -x" }],
    ["quotes and shell", { title: `"'\`$(id)\\`, body: "'; rm -rf / #" }],
    ["line breaks", { body: "one\r\n\n\ttwo\n\u2028three\0" }],
    ["other alphabets", { title: "計画 é 🎉", body: "עברית \ud83c" }],
    ["60 kB of text", { body: "ü".repeat(30_000) }],
    ["nothing", { title: "", body: "" }],
  ])("keeps %s as it is", async (_, text) => {
    const { forge } = newForge();
    await forge.openDraft(wanted("feature/ünder@{score}", text));
    expect(await forge.find("feature/ünder@{score}")).toMatchObject(text);
    await forge.markReady(1);
    expect(await forge.view(1)).toMatchObject(text);
  });

  it("keeps unknown fields", async () => {
    const { forge, record, put } = newForge();
    await forge.openDraft(wanted("topic"));
    put(1, JSON.stringify({ ...record(1), labels: ["mine"], number: 7 }));
    expect(await forge.markReady(1)).toMatchObject({ number: 1, ref: "local/1" });
    expect(record(1)).toMatchObject({ labels: ["mine"] });
  });
});

describe("an invalid record", () => {
  it.each([
    ["", "is not JSON."],
    [`{"title": "Half`, "is not JSON."],
    ["[]", "is not a pull request."],
    ["null", "is not a pull request."],
    [`{"title": "t", "body": "b", "isDraft": true, "state": "odd"}`, `has no valid "state".`],
  ])("is skipped by a search, and reported when viewed: %s", async (text, problem) => {
    const { forge, put, folder } = newForge();
    await forge.openDraft(wanted("topic"));
    await forge.openDraft(wanted("other"));
    put(1, text);
    expect(await forge.find("topic")).toBeUndefined();
    expect(await forge.find("other")).toMatchObject({ number: 2 });
    await expect(forge.view(1)).rejects.toMatchObject({
      code: "bad-file",
      message: `${join(folder, "1.json")} ${problem}`,
    });
    await expect(forge.markReady(1)).rejects.toMatchObject({ code: "bad-file" });
    expect(await forge.openDraft(wanted("topic"))).toMatchObject({ number: 3 });
    expect(readFileSync(join(folder, "1.json"), "utf8")).toBe(text);
  });

  it("does not stop the numbering, however high its number", async () => {
    const { forge, put } = newForge();
    await forge.openDraft(wanted("topic"));
    put(4_000_000_000, "?");
    expect(await forge.openDraft(wanted("other"))).toMatchObject({ number: 4_000_000_001 });
  });
});

describe("several processes at once", () => {
  it("share one pull request per branch, and use no number twice", async () => {
    const { folder } = newForge();
    const heads = Array.from({ length: 12 }, (_, at) => `branch-${at}`);
    const program = await bundle("test/support/processes/forge-caller.ts");
    const answers = await Promise.all(
      // Each starts at another branch, so that they collide at different ones.
      [0, 3, 6, 9].map((from) =>
        call(program, folder, [...heads.slice(from), ...heads.slice(0, from)].map(opening)),
      ),
    );
    const pulls = answers.flat();
    expect(pulls).toHaveLength(48);
    for (const head of heads) {
      const numbers = pulls.filter((pull) => pull.head === head).map(({ number }) => number);
      expect(new Set(numbers).size, head).toBe(1);
    }
    expect(readdirSync(folder).toSorted()).toEqual(
      heads.map((_, at) => `${at + 1}.json`).toSorted(),
    );
  });

  it("lose no change to the same pull request", async () => {
    const { folder, forge } = newForge();
    await forge.openDraft(wanted("topic"));
    const program = await bundle("test/support/processes/forge-caller.ts");
    const times = Array.from({ length: 15 }, (_, at) => at + 1);
    await Promise.all([
      call(
        program,
        folder,
        times.map((at) => ["update", 1, { title: `title ${at}` }]),
      ),
      call(
        program,
        folder,
        times.map((at) => ["update", 1, { body: `body ${at}` }]),
      ),
      call(program, folder, [["markReady", 1]]),
    ]);
    expect(await forge.view(1)).toMatchObject({
      title: "title 15",
      body: "body 15",
      isDraft: false,
    });
  });
});

describe("a process killed at any of its changes to the disk", () => {
  it("leaves at most one open pull request, complete, and has the same result when repeated", async () => {
    const program = await bundle("test/support/processes/forge-caller.ts");
    const calls = [opening("topic"), ["update", 1, { body: "New." }], ["markReady", 1]];
    let kills = 0;
    for (let killAt = 1; ; killAt++) {
      const { folder, forge } = newForge();
      const { signal } = await callKilled(program, folder, calls, killAt);
      if (signal !== "SIGKILL") break;
      kills++;
      expect(await forge.find("topic"), `left after ${killAt}`).toEqual(await forge.view(1));
      await call(program, folder, calls);
      expect(await forge.view(1)).toMatchObject({ body: "New.", isDraft: false, state: "open" });
      expect(readdirSync(folder), `left after ${killAt}`).toEqual(["1.json"]);
    }
    expect(kills).toBeGreaterThan(10);
  });
});

type Call = readonly [string, ...unknown[]] | readonly unknown[];

const opening = (head: string): Call => ["openDraft", wanted(head)];

async function call(
  program: string,
  folder: string,
  calls: readonly Call[],
): Promise<PullRequest[]> {
  const ended = await callKilled(program, folder, calls, 0);
  expect(ended).toMatchObject({ exitCode: 0, stderr: "" });
  return JSON.parse(ended.stdout) as PullRequest[];
}

const callKilled = (
  program: string,
  folder: string,
  calls: readonly Call[],
  killAt: number,
): Promise<Ended> =>
  runNode(["--require", killAtHook, program, folder, JSON.stringify(calls)], {
    cwd: "/",
    env: plainEnv("/", { KILL_AT: String(killAt) }),
  });
