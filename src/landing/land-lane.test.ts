import { describe, expect, it } from "vitest";
import { readyStories, separate } from "../../test/support/ready-stories.ts";
import { thisProcess } from "../machine/processes/process-id.ts";
import { openStore } from "../store/file-store.ts";

/** A task of Claude Code's. */
const task = (id: string, more: Record<string, unknown>) => ({
  id,
  subject: id,
  description: id,
  status: "in_progress",
  blocks: [],
  blockedBy: [],
  ...more,
});

describe("stories that are merged at the same time", () => {
  it("land together with one run of their checks", async () => {
    const { test, checksRun, mergeAll } = await readyStories(separate(4));
    const merged = await mergeAll();
    expect(merged.map(({ kind }) => kind)).toEqual(Array(4).fill("merged"));
    for (let at = 1; at <= 4; at++) {
      expect(test.git("show", `main:file-${at}.txt`)).toBe("x");
    }
    // The first process may be alone when it takes the lane; all others are in its next batch.
    expect(checksRun().length).toBeLessThanOrEqual(2);
    expect(test.git("worktree", "list").split("\n")).toHaveLength(1);
  });

  it("land one by one when the batch has room for one", async () => {
    const config = "[queue]\nbatch = 1\n";
    const { checksRun, mergeAll } = await readyStories(separate(3), { config });
    expect((await mergeAll()).every(({ kind }) => kind === "merged")).toBe(true);
    // The first one's target had not moved.
    expect(checksRun()).toHaveLength(2);
  });
});

describe("a story whose target has not moved", () => {
  it("lands without running its checks again", async () => {
    const { checksRun, mergeAll } = await readyStories(separate(1));
    expect(await mergeAll()).toMatchObject([{ kind: "merged", exitCode: 0 }]);
    expect(checksRun()).toEqual([]);
  });

  it("runs them where the settings say that receipts do not count", async () => {
    const config = "[gate]\nreuse_receipts = false\n";
    const { checksRun, mergeAll } = await readyStories(separate(1), { config });
    await mergeAll();
    expect(checksRun()).toEqual(["run"]);
  });
});

describe("two stories that pass alone and fail together", () => {
  const clashing = [
    { id: "one", files: { "clash-1-a.txt": "a\n" } },
    { id: "two", files: { "clash-1-b.txt": "b\n" } },
    { id: "three", files: { "other.txt": "c\n" } },
  ];

  it("are recognised: the later one is refused, and the others land", async () => {
    const { test, mergeAll } = await readyStories(clashing);
    const merged = await mergeAll();
    const kinds = Object.fromEntries(merged.map(({ id, kind }) => [id, kind]));
    expect(Object.values(kinds).toSorted()).toEqual(["merged", "merged", "refused"]);
    expect(kinds["three"]).toBe("merged");
    const files = test.git("ls-tree", "--name-only", "main").split("\n");
    expect(files.filter((file) => file.startsWith("clash-"))).toHaveLength(1);
    expect(files).toContain("other.txt");
  });

  it("leave the target on trees that passed the checks, at every position it had", async () => {
    const { test, mergeAll } = await readyStories(clashing);
    await mergeAll();
    const positions = test.git("reflog", "show", "--format=%H", "main").split("\n");
    for (const commit of positions.slice(0, -2)) {
      const names = test.git("ls-tree", "--name-only", commit);
      expect(/clash-1-a/.test(names) && /clash-1-b/.test(names), commit).toBe(false);
    }
  });
});

it("a target that fails its own checks blames no story", async () => {
  const { test, mergeAll } = await readyStories(separate(2));
  test.write("clash-9-a.txt", "");
  test.write("clash-9-b.txt", "");
  test.git("add", "--all");
  test.git("commit", "--quiet", "--message=broken");
  const merged = await mergeAll();
  expect(merged.map(({ kind }) => kind)).toEqual(["refused", "refused"]);
  expect(String(merged[0]?.json["reason"])).toContain("main itself fails");
});

it("a story that conflicts only with another one in the batch lands or conflicts after it", async () => {
  const stories = ["one", "two"].map((id) => ({ id, files: { "same.txt": `${id}\n` } }));
  const { mergeAll } = await readyStories(stories);
  const merged = await mergeAll();
  expect(merged.map(({ kind }) => kind).toSorted()).toEqual(["conflict", "merged"]);
});

it("an entry that cannot land at all has an error of its own, and the others land", async () => {
  const { test, mergeAll } = await readyStories(separate(3));
  const { queue } = openStore(test.path);
  const lane = { branch: "main", place: "here" } as const;
  const broken = { branch: "story/gone", tip: "f".repeat(40) };
  const work = {
    ...broken,
    start: test.git("rev-parse", "main"),
    checks: [],
    listFolder: test.path,
    taskId: "1",
    runId: "r",
    process: thisProcess(),
  };
  test.write("1.json", task("1", { metadata: { saga: { run: "r" } } }));
  const entry = await queue.enqueue({
    kind: "task",
    name: "auto-1/1",
    lane,
    priority: 0,
    by: "auto-1",
    after: [],
    checks: [],
    updateCheckouts: true,
    work,
  });
  const merged = await mergeAll();
  expect(merged.map(({ kind }) => kind)).toEqual(Array(3).fill("merged"));
  expect(JSON.stringify((await queue.outcome(entry))?.value)).toContain('"error"');
});
