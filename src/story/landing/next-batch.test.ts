import { describe, expect, it } from "vitest";
import { nextBatch } from "./next-batch.ts";

const entry = (
  name: string,
  arrival: number,
  more: { priority?: number; after?: string[]; heldBy?: string } = {},
) => ({
  id: `${String(arrival).padStart(13, "0")}-00000000`,
  name,
  priority: 2,
  after: [],
  heldBy: undefined,
  ...more,
});

const namesOf = (entries: Parameters<typeof nextBatch>[0], size = 8): string[] =>
  nextBatch(entries, size).batch.map(({ name }) => name);

describe("the next batch", () => {
  it("has the entries in the order of their arrival", () => {
    expect(namesOf([entry("b", 2), entry("a", 1), entry("c", 3)])).toEqual(["a", "b", "c"]);
  });

  it("has urgent entries first", () => {
    expect(namesOf([entry("a", 1), entry("b", 2, { priority: 0 })])).toEqual(["b", "a"]);
  });

  it("is no larger than asked, and the others wait for the next one", () => {
    const { batch, waiting } = nextBatch([entry("a", 1), entry("b", 2)], 1);
    expect(batch.map(({ name }) => name)).toEqual(["a"]);
    expect(waiting).toMatchObject([{ entry: { name: "b" }, reason: { kind: "batch-full" } }]);
  });

  it("has what an entry comes after before it, even when that is less urgent", () => {
    const entries = [entry("a", 1, { priority: 0, after: ["b"] }), entry("b", 2)];
    expect(namesOf(entries)).toEqual(["b", "a"]);
  });

  it("leaves an entry out while what it comes after is held or does not fit", () => {
    const first = entry("a", 1, { heldBy: "root" });
    const second = entry("b", 2, { after: ["a"] });
    expect(nextBatch([first, second, entry("c", 3)], 8)).toMatchObject({
      batch: [{ name: "c" }],
      waiting: [
        { entry: { name: "a" }, reason: { kind: "held", by: "root" } },
        { entry: { name: "b" }, reason: { kind: "after", names: ["a"] } },
      ],
    });
    expect(namesOf([entry("a", 1), entry("b", 2, { after: ["a"] })], 1)).toEqual(["a"]);
  });

  it("does not wait for names that are not in the lane, nor for itself", () => {
    expect(namesOf([entry("a", 1, { after: ["gone", "a"] })])).toEqual(["a"]);
  });

  it("leaves out entries that come after each other", () => {
    const entries = [entry("a", 1, { after: ["b"] }), entry("b", 2, { after: ["a"] })];
    expect(nextBatch(entries, 8)).toMatchObject({
      batch: [],
      waiting: [{ reason: { kind: "after", names: ["b"] } }, { reason: { kind: "after" } }],
    });
  });
});
