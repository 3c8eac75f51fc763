import { describe, expect, it } from "vitest";
import { newGathering } from "./gather.ts";
import type { Subject } from "./subject.ts";

const story = (id: string): Subject => ({ kind: "story", id });

/** A reader that takes as long as it is let. */
function newReader() {
  const told: string[][] = [];
  let free = (): void => undefined;
  let heard = (): void => undefined;
  const gathering = newGathering({
    async onSubjects(subjects) {
      told.push(subjects.map((one) => Object.values(one).join(" ")));
      heard();
      await new Promise<void>((resolve) => (free = resolve));
    },
    onActions: async () => undefined,
    onLogs: () => undefined,
  });
  const next = (): Promise<void> => new Promise((resolve) => (heard = resolve));
  return { gathering, told, next, free: () => free() };
}

describe("changes", () => {
  it("are told together, each once", async () => {
    const { gathering, told, next, free } = newReader();
    const first = next();
    for (const id of ["a", "b", "a"]) gathering.add(story(id));
    await first;
    expect(told).toEqual([["story a", "story b"]]);
    free();
    gathering.close();
  });

  it("that come while those before are read are gathered until that is done", async () => {
    const { gathering, told, next, free } = newReader();
    const first = next();
    gathering.add(story("a"));
    await first;
    const second = next();
    gathering.add(story("b"));
    // Longer than they are gathered for otherwise.
    await new Promise((resolve) => setTimeout(resolve, 150));
    gathering.add(story("c"));
    expect(told).toEqual([["story a"]]);
    free();
    await second;
    expect(told).toEqual([["story a"], ["story b", "story c"]]);
    free();
    gathering.close();
  });

  it("are not told any more when nobody follows", async () => {
    const { gathering, told, next, free } = newReader();
    const first = next();
    gathering.add(story("a"));
    await first;
    gathering.add(story("b"));
    gathering.close();
    free();
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(told).toEqual([["story a"]]);
  });
});
