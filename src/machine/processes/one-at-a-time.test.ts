import { expect, it } from "vitest";
import { oneAtATime } from "./one-at-a-time.ts";

it("runs actions with one key one after the other, also after an error", async () => {
  const events: string[] = [];
  const act = (name: string, fails = false) =>
    oneAtATime("key", async () => {
      events.push(`${name} begins`);
      await Promise.resolve();
      events.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    });
  const results = await Promise.allSettled([act("a"), act("b", true), act("c")]);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(events).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
});

it("does not let other keys wait", async () => {
  let release = (): void => undefined;
  const waiting = oneAtATime("one", () => new Promise<void>((resolve) => (release = resolve)));
  expect(await oneAtATime("other", async () => "done")).toBe("done");
  release();
  await waiting;
});
