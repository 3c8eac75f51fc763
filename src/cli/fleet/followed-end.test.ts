import { expect, it } from "vitest";
import type { FleetStory } from "../../fleet/view/read-fleet.ts";
import { EXIT } from "../../story/state/exit-codes.ts";
import { followedResult, type EpicFollowed } from "./followed-end.ts";

const story = (name: string, more: Partial<FleetStory> = {}): FleetStory => ({
  story: name,
  epic: "shop",
  queue: "done",
  parked: undefined,
  machine: undefined,
  fence: undefined,
  isSilent: false,
  attempts: 1,
  ...more,
});

const textOf = (more: Partial<EpicFollowed>): { readonly text: string; readonly code: unknown } => {
  const { text, exitCode } = followedResult("shop", {
    queued: [],
    stories: [],
    end: "parked",
    mayMerge: true,
    budget: undefined,
    open: [],
    needs: [],
    ...more,
  });
  return { text: text((_, words) => words), code: exitCode };
};

it("says that all stories are done only if all are merged", () => {
  expect(textOf({ end: "done" })).toEqual({
    text: "✓ All stories of shop are done\n",
    code: EXIT.done,
  });
  const gated = textOf({
    end: "done",
    mayMerge: false,
    stories: [story("cart")],
    open: [{ id: "cart", state: "review" }],
    needs: [{ id: "cart", state: "review", word: "review", next: "saga merge cart", about: [] }],
  });
  expect(gated.code).toBe(EXIT.notMerged);
  expect(gated.text).toContain("! cart of shop passed its gate, and people merge\n");
  expect(gated.text).toMatch(/cart +review +saga merge cart/);
  expect(gated.text).toContain("`saga epic run shop --fleet --merge` merges what passed its gate");
});

it("says for each reason what waits, and what continues", () => {
  const { text, code } = textOf({
    stories: [
      story("asks", { queue: "parked", parked: "person" }),
      story("gone", { queue: "parked", parked: "discarded" }),
      story("dear", { queue: "parked", parked: "budget" }),
      story("late", { queue: "waiting" }),
    ],
    budget: { epic: "shop", stories: [], budgetUsd: 5, spentUsd: 5.5 },
    open: [
      { id: "asks", state: "blocked" },
      { id: "gone", state: "ready" },
      { id: "dear", state: "limit" },
      { id: "late", state: "waiting" },
    ],
  });
  expect(text).toBe(
    [
      "! asks of shop needs a person",
      "! dear of shop waits: $5.50 of $5.00 spent in this run",
      "! gone of shop was discarded",
      "  late waits for other stories",
      "`saga epic run shop --fleet --merge` continues with a new budget.",
      "`saga epic run shop --fleet --merge` queues again what was discarded.",
      "",
    ].join("\n"),
  );
  expect(code).toBe(EXIT.limit);
});

it("ends without a verdict while the machines continue", () => {
  expect(textOf({ end: undefined, open: [] })).toEqual({
    text: "✓ shop is in the fleet's queue: `saga fleet status`\n",
    code: EXIT.done,
  });
});
