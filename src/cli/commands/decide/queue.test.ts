import { describe, expect, it } from "vitest";
import { readyStories, separate } from "../../../../test/support/ready-stories.ts";
import { laneId } from "../../../landing/lane-id.ts";
import { laneLease } from "../../../store/leases/lease-names.ts";
import { openStore } from "../../../store/file-store.ts";
import type { Lane } from "../../../story/landing/entry.ts";

const MAIN: Lane = { branch: "main", place: "here" };

/** Stories in the queue whose commands were killed. */
async function queued(count: number) {
  const { test, checksRun, mergeAll } = await readyStories(separate(count));
  const { queue } = openStore(test.path);
  for (const { id } of separate(count)) {
    const entry = { kind: "story", name: id, lane: MAIN, priority: 3, by: "saga merge" } as const;
    await queue.enqueue({ ...entry, after: [], checks: ["sh check.sh"], updateCheckouts: true });
  }
  return { test, queue, checksRun, mergeAll };
}

describe("saga queue", () => {
  it("is empty at first", async () => {
    const { test } = await readyStories([]);
    expect((await test.saga("queue")).stdout).toBe("Nothing waits to be merged.\n");
  });

  it("lists what waits, and how to merge it when no process does", async () => {
    const { test } = await queued(2);
    const { stdout } = await test.saga("queue");
    expect(stdout).toMatch(
      /^main\n {2}Batch 1 \(next to land\)\n {4}1 {2}story-1\n {4}2 {2}story-2\n/,
    );
    expect(stdout).toContain("Merge the queue: `saga queue run`");
  });

  it("merges what waits, although the commands that asked for it are gone", async () => {
    const { test, checksRun } = await queued(2);
    expect((await test.saga("queue", "run")).exitCode).toBe(0);
    expect(test.git("ls-tree", "--name-only", "main")).toMatch(/file-1\.txt\nfile-2\.txt/);
    expect(checksRun()).toEqual(["run"]);
    expect((await test.saga("queue")).stdout).toContain(
      "Recently merged: 2 (1 check run, 1 saved by merging together)",
    );
  });

  it("holds and releases an entry", async () => {
    const { test } = await queued(2);
    expect((await test.saga("queue", "hold", "story-1")).stdout).toContain("✓ Holding story-1.");
    expect((await test.saga("queue", "run")).exitCode).toBe(4);
    const listed = test.git("ls-tree", "--name-only", "main");
    expect(listed).toContain("file-2.txt");
    expect(listed).not.toContain("file-1.txt");
    await test.saga("queue", "release", "story-1");
    expect((await test.saga("queue", "run")).exitCode).toBe(0);
    expect(test.git("ls-tree", "--name-only", "main")).toContain("file-1.txt");
  });

  it("drops an entry, and says so to the command that waits for it", async () => {
    const { test, mergeAll } = await readyStories(separate(1));
    const { queue, leases } = openStore(test.path);
    // Another process lands, and takes its time.
    const lane = laneLease(laneId(MAIN));
    const { lease } = await leases.acquire(lane, { owner: "another", ttlMs: 60_000 });
    const waiting = mergeAll();
    await expect.poll(() => queue.list(MAIN), { timeout: 30_000 }).toHaveLength(1);
    const dropped = await test.saga("queue", "drop", "story-1");
    expect(dropped.stdout).toContain("✓ Dropped story-1 from the queue");
    expect(await waiting).toMatchObject([{ kind: "dropped", exitCode: 1 }]);
    await lease?.release();
  });

  it("names the nearest entry or subcommand for a typing error, and says when nothing waits", async () => {
    const { test } = await queued(1);
    const unknown = await test.saga("queue", "relase", "story-1");
    expect(unknown.exitCode).toBe(64);
    expect(unknown.stderr).toContain(
      'Unknown command "queue relase".\nDid you mean `saga queue release`?',
    );
    const { exitCode, stderr } = await test.saga("queue", "drop", "stroy-1");
    expect(exitCode).toBe(1);
    expect(stderr).toContain("Did you mean story-1?");
    await test.saga("queue", "drop", "story-1");
    expect((await test.saga("queue", "hold", "story-1")).stderr).toContain(
      "story-1 is not in the queue.\nNothing waits to be merged.",
    );
  });
});
