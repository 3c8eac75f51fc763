import { expect, it } from "vitest";
import { aCard } from "../../../../test/support/page/fixture.ts";
import type { CardState, StoryCard } from "../../protocol/messages.ts";
import { columnOf, sortColumn } from "./columns.ts";

it.each<[CardState, string]>([
  ["ready", "ready"],
  ["waiting", "ready"],
  ["stopped", "ready"],
  ["killed", "ready"],
  ["sent-back", "ready"],
  ["running", "running"],
  ["in-progress", "running"],
  ["stalled", "needs-you"],
  ["blocked", "needs-you"],
  ["failed", "needs-you"],
  ["review", "review"],
  ["completed", "done"],
])("a %s story is in %s", (state, column) => {
  expect(columnOf(aCard("a", "A", state))).toBe(column);
});

it("a story that is being merged is landing, and an archived one is in no column", () => {
  const landing = { section: "landing", kind: "landing", text: "", next: "" } as const;
  expect(columnOf(aCard("a", "A", "running", { attention: landing }))).toBe("landing");
  expect(columnOf(aCard("a", "A", "completed", { isArchived: true }))).toBeUndefined();
});

it("sorts Review by risk, Done by its end, and Ready by what comes next", () => {
  const ids = (stories: readonly StoryCard[]): string[] => stories.map(({ id }) => id);
  const risk = (points: number) => ({ level: "low", points, reasons: [] }) as const;
  expect(
    ids(
      sortColumn("review", [
        aCard("a", "A", "review", { risk: risk(1) }),
        aCard("b", "B", "review", { risk: risk(9) }),
      ]),
    ),
  ).toEqual(["b", "a"]);
  const ended = (endedAt: string) => ({ id: "r", startedAt: "", costUsd: 0, endedAt });
  expect(
    ids(
      sortColumn("done", [
        aCard("a", "A", "completed", { run: ended("2026-01-01") }),
        aCard("b", "B", "completed", { run: ended("2026-01-02") }),
      ]),
    ),
  ).toEqual(["b", "a"]);
  expect(
    ids(
      sortColumn("ready", [
        aCard("a", "A", "waiting"),
        aCard("b", "B", "ready"),
        aCard("c", "C", "stopped"),
      ]),
    ),
  ).toEqual(["c", "b", "a"]);
});
