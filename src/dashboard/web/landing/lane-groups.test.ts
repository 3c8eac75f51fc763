import { describe, expect, it } from "vitest";
import type { LaneCard, LaneEntryCard } from "../../protocol/landing.ts";
import { etaText, laneGroups, savedText, searchText, stepText } from "./lane-groups.ts";

const AT = "2026-01-01T00:00:00.000Z";
const entry = (name: string, more: Partial<LaneEntryCard> = {}): LaneEntryCard => ({
  name,
  kind: "story",
  by: "saga merge",
  enqueuedAt: AT,
  batch: 1,
  state: "waiting",
  reason: "",
  ...more,
});
const groups = (...entries: LaneEntryCard[]) =>
  laneGroups({ entries }).map(({ title, entries: of }) => [
    title,
    of.map(({ name, position }) => `${position} ${name}`),
  ]);

describe("the entries of a lane", () => {
  it("are grouped by batch, with their position", () => {
    expect(
      groups(
        entry("a", { state: "landing" }),
        entry("b", { batch: 2 }),
        entry("c", { batch: 2 }),
        entry("d", { batch: 3 }),
        entry("e", { batch: undefined, state: "held" }),
        entry("f", { batch: undefined }),
      ),
    ).toEqual([
      ["Landing now", ["1 a"]],
      ["Next batch", ["2 b", "3 c"]],
      ["Batch 3", ["4 d"]],
      ["On hold", ["5 e"]],
      ["Waiting for others", ["6 f"]],
    ]);
  });

  it("are next while nothing lands", () => {
    expect(groups(entry("a"), entry("b", { batch: 2 }))).toEqual([
      ["Next batch", ["1 a"]],
      ["Batch 2", ["2 b"]],
    ]);
  });

  it("say when they have landed", () => {
    const nowMs = Date.parse(AT);
    const at = (ms: number) => entry("a", { landsAt: new Date(nowMs + ms).toISOString() });
    expect(etaText(at(34_000), nowMs)).toBe("in about 40s");
    expect(etaText(at(150_000), nowMs)).toBe("in about 3m");
    expect(etaText(at(-1), nowMs)).toBe("any moment");
    expect(etaText(entry("a", { etaMs: 5000 }), nowMs)).toBe("takes about 10s");
    expect(etaText(entry("a", { state: "landing" }), nowMs)).toBe("any moment");
    expect(etaText(entry("a"), nowMs)).toBe("");
  });
});

describe("what a lander does", () => {
  const now: NonNullable<LaneCard["now"]> = {
    entries: ["a", "b", "c"],
    step: "verify",
    startedAt: AT,
  };

  it("is one sentence for each step", () => {
    expect(stepText(now, "main")).toBe("Checking 3 changes together");
    expect(stepText({ ...now, entries: ["a"], step: "compose" }, "main")).toBe(
      "Combining one change with main",
    );
    expect(stepText({ ...now, step: "land" }, "origin/main")).toBe("Updating origin/main");
    expect(stepText({ ...now, machine: "ann" }, "main")).toBe("Checking 3 changes together on ann");
  });

  it("says how far the search for the cause of a failure is", () => {
    expect(searchText({ ...now, candidate: 3 })).toBeUndefined();
    expect(searchText(now)).toBeUndefined();
    expect(searchText({ ...now, candidate: 2 })).toContain("with the first 2 of 3");
    expect(searchText({ ...now, candidate: 0 })).toContain("the target itself");
  });

  it("counts the checks that batches saved", () => {
    expect(savedText({ run: 1, saved: 0 })).toBe("1 check run");
    expect(savedText({ run: 3, saved: 17 })).toBe("3 checks run, 17 saved by merging together");
  });
});
