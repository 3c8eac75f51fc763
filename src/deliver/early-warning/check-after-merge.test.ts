import { describe, expect, it } from "vitest";
import { newRepository } from "../../../test/support/repository.ts";
import { openStore } from "../../store/file-store.ts";
import { storyLease } from "../../store/leases/lease-names.ts";
import { conflictsAhead } from "../../story/early-warning/conflicts-ahead.ts";
import type { OpenWork } from "../../story/early-warning/open-work.ts";
import { checkAfterMerge, withTarget, worksBehind } from "./check-after-merge.ts";

const BEFORE = "2026-01-01T00:00:00.000Z";
const NOW = "2026-01-01T01:00:00.000Z";

const workOf = (story: string, more: Partial<OpenWork> = {}): OpenWork => ({
  story,
  title: story,
  intent: "",
  target: "main",
  tip: story,
  changes: { paths: ["a.txt"], emptied: [], isEverything: false },
  merges: [{ kind: "target", name: "main", commit: "0", files: [], since: BEFORE }],
  at: BEFORE,
  ...more,
});

describe("after the merge of a story", () => {
  it("a story without a worker that changed the same lines conflicts with the target", async () => {
    const test = newRepository();
    const branch = (name: string, file: string): string => {
      test.git("switch", "--quiet", "--create", name, "main");
      test.write(file, `${name}\n`);
      test.git("add", "--", file);
      test.git("commit", "--quiet", "--message=work");
      return test.git("rev-parse", "HEAD");
    };
    const landed = branch("landed", "a.txt");
    const store = openStore(test.path);
    const elsewhere = { paths: ["b.txt"], emptied: [], isEverything: false };
    await store.openWorks.write(workOf("merged"));
    await store.openWorks.write(workOf("idle", { tip: branch("idle", "a.txt") }));
    await store.openWorks.write(workOf("running", { tip: branch("running", "a.txt") }));
    await store.openWorks.write(workOf("other", { changes: elsewhere }));
    await store.leases.acquire(storyLease("running"), { owner: "a worker", ttlMs: 60_000 });
    const repository = await test.open();
    const context = { store, repository, now: () => Date.parse(NOW) };
    const merge = { storyId: "merged", into: "main", commit: landed };
    await checkAfterMerge(context, merge);
    // Repeated by another command.
    await checkAfterMerge(context, merge);
    const works = await store.openWorks.list();
    expect(works.map(({ story }) => story)).toEqual(["idle", "other", "running"]);
    expect(conflictsAhead(works)).toEqual([
      { story: "idle", with: { kind: "target", name: "main" }, files: ["a.txt"], since: NOW },
    ]);
  });
});

it("only stories of the same target that touched the same files are merged again", () => {
  const merged = workOf("merged");
  const elsewhere = workOf("elsewhere", {
    changes: { paths: ["b.txt"], emptied: [], isEverything: false },
  });
  const otherTarget = workOf("other", { target: "epic/shop" });
  const same = workOf("same");
  expect(worksBehind([merged, elsewhere, otherTarget, same], merged, "main")).toEqual([same]);
});

it("a conflict with the merged story becomes one with the target, since the same time", () => {
  const conflict = { kind: "story", name: "merged", commit: "1", files: ["a"], since: BEFORE };
  const third = { ...conflict, name: "third" } as const;
  const [target] = workOf("x").merges;
  const work = workOf("idle", {
    merges: [...(target ? [target] : []), { ...conflict, kind: "story" }, third].map((merge) => ({
      ...merge,
      kind: merge.kind === "target" ? "target" : "story",
    })),
  });
  const tried = { kind: "target", name: "main", commit: "2", at: NOW } as const;
  const after = withTarget(work, { story: "merged" }, { ...tried, files: ["a"] });
  expect(after.merges).toEqual([
    { kind: "target", name: "main", commit: "2", files: ["a"], since: BEFORE },
    third,
  ]);
  expect(after.at).toBe(NOW);
  const clean = withTarget(work, { story: "merged" }, { ...tried, files: [] });
  expect(clean.merges[0]).toEqual({
    kind: "target",
    name: "main",
    commit: "2",
    files: [],
    since: BEFORE,
  });
});
