import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { debounceChanges } from "./debounce.ts";
import type { ProjectChange } from "../../store/views/project-change.ts";

const story = (id: string): ProjectChange => ({ kind: "story", id });

/** Longer than any delay. */
const LONG_MS = 10_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A listener that stays busy with a batch until `finish` is called. */
function newListener() {
  const batches: string[][] = [];
  let finish = (): void => undefined;
  const debouncer = debounceChanges({
    async onChanges(changes) {
      batches.push(changes.map((one) => Object.values(one).join(" ")));
      await new Promise<void>((resolve) => (finish = resolve));
    },
    onActions: async () => undefined,
    onLogs: () => undefined,
    onOutputs: () => undefined,
  });
  return { debouncer, batches, finish: () => finish() };
}

describe("debounced changes", () => {
  it("are reported together, each once", async () => {
    const { debouncer, batches } = newListener();
    for (const id of ["a", "b", "a"]) debouncer.add(story(id));
    await vi.advanceTimersByTimeAsync(LONG_MS);
    expect(batches).toEqual([["story a", "story b"]]);
    debouncer.close();
  });

  it("wait while the previous batch is handled", async () => {
    const { debouncer, batches, finish } = newListener();
    for (const id of ["a", "b", "c"]) {
      debouncer.add(story(id));
      await vi.advanceTimersByTimeAsync(LONG_MS);
      expect(batches).toEqual([["story a"]]);
    }
    finish();
    await vi.advanceTimersByTimeAsync(LONG_MS);
    expect(batches).toEqual([["story a"], ["story b", "story c"]]);
    debouncer.close();
  });

  it("are dropped after close", async () => {
    const { debouncer, batches, finish } = newListener();
    debouncer.add(story("a"));
    await vi.advanceTimersByTimeAsync(LONG_MS);
    debouncer.add(story("b"));
    debouncer.close();
    finish();
    await vi.advanceTimersByTimeAsync(LONG_MS);
    expect(batches).toEqual([["story a"]]);
  });
});
