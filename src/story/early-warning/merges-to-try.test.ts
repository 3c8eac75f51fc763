import { describe, expect, it } from "vitest";
import { mergesToTry, type OwnWork } from "./merges-to-try.ts";
import type { OpenWork, TriedMerge } from "./open-work.ts";

const changes = (...paths: string[]) => ({ paths, emptied: [], isEverything: false });
const since = "2026-01-01T00:00:00.000Z";

const own: OwnWork = {
  story: "one",
  tip: "1a",
  changes: changes("a"),
  target: { branch: "main", commit: "m1" },
};
const workOf = (story: string, tip: string, more: Partial<OpenWork> = {}): OpenWork => ({
  story,
  title: story,
  intent: "",
  tip,
  changes: changes("a"),
  merges: [],
  at: since,
  ...more,
});
const merge = (name: string, commit: string, kind: TriedMerge["kind"] = "story"): TriedMerge => ({
  kind,
  name,
  commit,
  files: ["a"],
  since,
});
const names = (plan: ReturnType<typeof mergesToTry>): string[] => plan.try.map(({ name }) => name);

describe("a story that has not been looked at", () => {
  it("is merged with its target, and with stories that changed the same files", () => {
    const far = workOf("three", "3a", { changes: changes("b") });
    const plan = mergesToTry(own, undefined, [workOf("two", "2a"), far]);
    expect(plan).toEqual({
      try: [
        { kind: "target", name: "main", commit: "m1" },
        { kind: "story", name: "two", commit: "2a" },
      ],
      known: [],
    });
  });

  it("is never merged with itself, or with a target that does not exist", () => {
    const plan = mergesToTry({ ...own, target: undefined }, undefined, [workOf("one", "1z")]);
    expect(plan.try).toEqual([]);
  });
});

describe("a story that has been looked at", () => {
  const before = workOf("one", "1a", {
    merges: [merge("main", "m1", "target"), merge("two", "2a")],
  });

  it("is merged with nothing while no commit changes", () => {
    const plan = mergesToTry(own, before, [workOf("two", "2a")]);
    expect(plan.try).toEqual([]);
    expect(plan.known).toEqual(before.merges);
  });

  it("is merged only with what has a new commit", () => {
    const plan = mergesToTry(own, before, [workOf("two", "2b")]);
    expect(plan.try).toEqual([{ kind: "story", name: "two", commit: "2b" }]);
    expect(plan.known).toEqual([merge("main", "m1", "target")]);
    const moved = { ...own, target: { branch: "main", commit: "m2" } };
    expect(names(mergesToTry(moved, before, [workOf("two", "2a")]))).toEqual(["main"]);
  });

  it("is merged with everything after a commit of its own", () => {
    const plan = mergesToTry({ ...own, tip: "1b" }, before, [workOf("two", "2a")]);
    expect(names(plan)).toEqual(["main", "two"]);
    expect(plan.known).toEqual([]);
  });

  it("leaves out a merge that the other's worker has done", () => {
    const other = workOf("two", "2b", { merges: [merge("one", "1a")] });
    expect(mergesToTry(own, before, [other]).try).toEqual([]);
    const stale = workOf("two", "2b", { merges: [merge("one", "1z")] });
    expect(names(mergesToTry(own, before, [stale]))).toEqual(["two"]);
  });

  it("forgets a story that has ended, or no longer touches its files", () => {
    expect(mergesToTry(own, before, []).known).toEqual([merge("main", "m1", "target")]);
    const far = workOf("two", "2a", { changes: changes("b") });
    expect(mergesToTry(own, before, [far]).known).toEqual([merge("main", "m1", "target")]);
  });
});
