import { expect, it } from "vitest";
import { NO_RUN } from "../../store/runs/last-run.ts";
import type { StoryView } from "../../store/views/overview.ts";
import { attentionTo } from "../../store/views/attention.ts";
import type { AttendedStory } from "../output/needs-you.ts";
import { renderStatus, type ShownStatus } from "./status-text.ts";

const paint = (_: unknown, text: string): string => text;

function inReview(id: string): AttendedStory {
  const view = {
    record: { id, source: "worktree", tasks: [], story: { id, title: id } },
    state: "review",
    waitsFor: [],
    openBlockers: [],
    lastRun: NO_RUN,
    isWorktreeGone: false,
  } as unknown as StoryView;
  const attention = attentionTo(view);
  if (attention === undefined) throw new Error("A review needs a person.");
  return { view, attention };
}

it("shows reviews by their risk, with the weightiest reason of risky ones", () => {
  const all = ["a", "b", "c"].map(inReview);
  const reason = { kind: "size", points: 3, text: "900 lines changed.", files: [] } as const;
  const status: ShownStatus = {
    all,
    running: [],
    unreadable: [],
    epics: [],
    toMerge: [],
    pools: [],
    pool: { needs: [], ready: [] },
    views: all.map(({ view }) => view),
    problems: [],
    conflicts: [],
    usual: undefined,
    isWatched: false,
    reviews: [
      { id: "c", title: "c", risk: { level: "high", points: 9, reasons: [reason] } },
      { id: "a", title: "a", risk: { level: "low", points: 1, reasons: [reason] } },
      { id: "b", title: "b", risk: undefined },
    ],
  };
  expect(renderStatus(status, paint)).toBe(
    [
      "Nothing is running.",
      "",
      "Needs you",
      "  ◆ c  review  saga show c",
      "      high risk: 900 lines changed.",
      "  ◆ a  review  saga show a",
      "  ◆ b  review  saga show b",
      "",
    ].join("\n"),
  );
});
