import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { newGathering } from "./debounce.ts";
import type { Subject } from "./change.ts";

const story = (id: string): Subject => ({ kind: "story", id });

/** Longer than anything is gathered for. */
const LONG_MS = 10_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A reader that takes as long as it is let. */
function newReader() {
  const told: string[][] = [];
  let free = (): void => undefined;
  const gathering = newGathering({
    async onSubjects(subjects) {
      told.push(subjects.map((one) => Object.values(one).join(" ")));
      await new Promise<void>((resolve) => (free = resolve));
    },
    onActions: async () => undefined,
    onLogs: () => undefined,
  });
  return { gathering, told, free: () => free() };
}

describe("changes", () => {
  it("are told together, each once", async () => {
    const { gathering, told } = newReader();
    for (const id of ["a", "b", "a"]) gathering.add(story(id));
    await vi.advanceTimersByTimeAsync(LONG_MS);
    expect(told).toEqual([["story a", "story b"]]);
    gathering.close();
  });

  it("that come while those before are read are gathered until that is done", async () => {
    const { gathering, told, free } = newReader();
    for (const id of ["a", "b", "c"]) {
      gathering.add(story(id));
      await vi.advanceTimersByTimeAsync(LONG_MS);
      expect(told).toEqual([["story a"]]);
    }
    free();
    await vi.advanceTimersByTimeAsync(LONG_MS);
    expect(told).toEqual([["story a"], ["story b", "story c"]]);
    gathering.close();
  });

  it("are not told any more when nobody follows", async () => {
    const { gathering, told, free } = newReader();
    gathering.add(story("a"));
    await vi.advanceTimersByTimeAsync(LONG_MS);
    gathering.add(story("b"));
    gathering.close();
    free();
    await vi.advanceTimersByTimeAsync(LONG_MS);
    expect(told).toEqual([["story a"]]);
  });
});
