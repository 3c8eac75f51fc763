import { describe, expect, it } from "vitest";
import { readyStories, separate, SUITE } from "../../test/support/ready-stories.ts";
import { openStore } from "../store/file-store.ts";
import type { Lane } from "../story/landing/entry.ts";

const MAIN: Lane = { branch: "main", place: "here" };
const config = "[queue]\nbatch = 2\nparallel = 2\n";

/** Waits until two runs of it have begun, or for ten seconds. Not while the stories are prepared. */
const inPairs = (log: string): string =>
  [
    `grep -q accepted '${log}' || exit 0`,
    `for i in $(seq 200); do`,
    `  test $(sed '1,/accepted/d' '${log}' | grep -c run) -ge 2 && break`,
    `  sleep 0.05`,
    `done`,
    `test $i -lt 200 && echo together >> '${log}'`,
    SUITE,
  ].join("\n");

describe("with queue.parallel", () => {
  it("the next batch is verified while the current one is, and lands with that result", async () => {
    const { test, checksRun, mergeAll } = await readyStories(separate(5), {
      suite: inPairs,
      config,
    });
    const merged = await mergeAll();
    expect(merged.map(({ kind }) => kind)).toEqual(Array(5).fill("merged"));
    // The first one's target had not moved. The other two batches ran at the same time, and nothing ran twice.
    expect(checksRun().filter((line) => line === "run")).toHaveLength(2);
    expect(checksRun().filter((line) => line === "together")).toHaveLength(2);
    const { queue } = openStore(test.path);
    const history = await queue.history(MAIN);
    expect(history.flatMap(({ landed }) => landed)).toHaveLength(5);
    expect(history.at(-1)?.checks).toMatchObject([{ isReused: true, isPassed: true }]);
    expect(test.git("worktree", "list").split("\n")).toHaveLength(1);
    expect(await queue.aheads(MAIN)).toEqual([]);
  });

  it("what was verified on top of a batch that turns red is not used", async () => {
    const clashing = [
      { id: "one", files: { "clash-1-a.txt": "a\n" } },
      { id: "two", files: { "clash-1-b.txt": "b\n" } },
      ...separate(3),
    ];
    const { test, mergeAll } = await readyStories(clashing, { config });
    const merged = await mergeAll();
    expect(merged.map(({ kind }) => kind).toSorted()).toEqual([
      ...Array<string>(4).fill("merged"),
      "refused",
    ]);
    for (const commit of test.git("reflog", "show", "--format=%H", "main").split("\n")) {
      const names = test.git("ls-tree", "--name-only", commit);
      expect(/clash-1-a/.test(names) && /clash-1-b/.test(names), commit).toBe(false);
    }
    expect(test.git("worktree", "list").split("\n").length).toBeLessThanOrEqual(2);
  });

  it("nothing is verified ahead where receipts do not count", async () => {
    const { checksRun, mergeAll } = await readyStories(separate(3), {
      config: `${config}[gate]\nreuse_receipts = false\n`,
    });
    await mergeAll();
    expect(checksRun().length).toBeGreaterThanOrEqual(2);
  });
});
