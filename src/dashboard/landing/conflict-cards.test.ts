import { expect, it } from "vitest";
import type { OpenWork } from "../../story/early-warning/open-work.ts";
import { conflictCards } from "./conflict-cards.ts";

const AT = "2026-01-01T00:00:00.000Z";
const work = (story: string, merges: OpenWork["merges"] = []): OpenWork => ({
  story,
  title: story,
  intent: "",
  tip: story,
  changes: { paths: [], emptied: [], isEverything: false },
  merges,
  at: AT,
});
const files = Array.from({ length: 23 }, (_, at) => `f${at}`);
const WORKS = [
  work("one", [
    { kind: "story", name: "two", commit: "two", files, since: AT },
    { kind: "story", name: "ended", commit: "ended", files: ["a"], since: AT },
    { kind: "target", name: "main", commit: "1", files: ["a"], since: AT },
  ]),
  work("two"),
  work("ended"),
];

it("gives each pair of open stories, and each story with its target, once", () => {
  const cards = conflictCards(WORKS, (id) => id !== "ended");
  expect([...cards.keys()]).toEqual(["one story two", "one target main"]);
  expect(cards.get("one target main")).toEqual({
    story: "one",
    with: { kind: "target", name: "main" },
    files: ["a"],
    since: AT,
    moreFiles: 0,
  });
});

it("lists a few files, and how many more there are", () => {
  const card = conflictCards(WORKS, () => true).get("one story two");
  expect(card).toMatchObject({ files: files.slice(0, 20), moreFiles: 3 });
});
