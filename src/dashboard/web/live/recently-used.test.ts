import { expect, it } from "vitest";
import { evictOldest, touch } from "./recently-used.ts";

it("evicts what was used longest ago, and nothing that is watched", () => {
  const map = new Map<string, { readonly listeners: ReadonlySet<unknown> }>();
  const use = (name: string, isWatched = false) =>
    touch(map, name, () => ({ listeners: new Set(isWatched ? [name] : []) }));
  use("watched", true);
  for (const name of ["a", "b", "c", "a"]) use(name);
  evictOldest(map, 2);
  expect([...map.keys()]).toEqual(["watched", "c", "a"]);
});
