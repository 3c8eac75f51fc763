import { describe, expect, it } from "vitest";
import { anEpic } from "../../../test/support/project.ts";
import type { EpicEnd } from "../../epic/schedule.ts";
import type { Epic } from "../../story/definition/epic.ts";
import { epicResult } from "./epic-summary.ts";
import type { NeedRow } from "../output/needs-you.ts";
import { painter } from "../output/terminal.ts";

const EPIC = anEpic("shop", []) as unknown as Epic;
const LEFT: EpicEnd = {
  isDone: false,
  open: [
    { id: "shop--cart", state: "review" },
    { id: "shop--payment", state: "blocked" },
    { id: "shop--mail", state: "waiting" },
  ],
  waiting: [{ id: "shop--mail", why: "needs shop--payment (has a question for you)" }],
  hasReachedLimit: false,
};
const NOTHING: EpicEnd = { isDone: true, open: [], waiting: [], hasReachedLimit: false };
const needs: NeedRow[] = [
  {
    id: "shop--payment",
    state: "blocked",
    word: "blocked",
    next: 'saga resolve shop--payment "…" --run',
    about: ["b1: Which currency?"],
  },
  { id: "shop--cart", state: "review", word: "review", next: "saga show shop--cart", about: [] },
];

interface Facts {
  readonly isStopped?: boolean;
  readonly mayMerge?: boolean;
  readonly needs?: readonly NeedRow[];
}

const text = (end: EpicEnd, facts: Facts): string =>
  epicResult(EPIC, end, { isStopped: false, mayMerge: false, needs, ...facts }).text(
    painter(false),
  );

describe("the end of an epic's run", () => {
  it("lists each story that needs a person with its next command and its question", () => {
    expect(text(LEFT, { mayMerge: true }).split("\n").slice(2)).toEqual([
      "Needs you",
      '  ■ shop--payment  blocked  saga resolve shop--payment "…" --run',
      "      b1: Which currency?",
      "  ◆ shop--cart     review   saga show shop--cart",
      "",
    ]);
  });

  it("says so when an epic has no stories", () => {
    expect(text(NOTHING, { needs: [] })).toBe(
      `shop has no stories yet. Add one: \`saga new story <name> --epic shop -d "…"\`.\n`,
    );
  });

  it("suggests --merge when stories in review were not to be merged", () => {
    const how =
      "`saga epic run shop --merge` merges stories that passed their gate, and continues.";
    expect(text(LEFT, { mayMerge: false })).toContain(how);
    expect(text(LEFT, { mayMerge: true })).not.toContain("--merge");
  });

  it.each<[number, string, Partial<EpicEnd> & { readonly isStopped?: boolean }]>([
    [0, "all of its stories are completed", { isDone: true, open: [] }],
    [1, "it was stopped", { isStopped: true }],
    [1, "a story has failed", { open: [{ id: "a", state: "failed" }], hasReachedLimit: true }],
    [1, "a story cannot be started", { open: [{ id: "a", state: "pending" }] }],
    [2, "a limit was reached", { hasReachedLimit: true }],
    [3, "a story has a question", {}],
    [4, "a story is verified and not merged", { open: [{ id: "a", state: "review" }] }],
  ])("exits with %i when %s", (exitCode, _, { isStopped = false, ...end }) => {
    const facts = { isStopped, mayMerge: false, needs };
    expect(epicResult(EPIC, { ...LEFT, ...end }, facts).exitCode).toBe(exitCode);
  });

  it("that was stopped names the stories that still run", () => {
    const open = [{ id: "shop--cart", state: "running" }] as const;
    expect(text({ ...NOTHING, isDone: false, open }, { isStopped: true })).toBe(
      "The run of shop was stopped.\nshop--cart is still running; `saga stop shop--cart` stops it.\n",
    );
  });
});
