import { describe, expect, it } from "vitest";
import { anEpic } from "../../../test/support/project.ts";
import type { EpicEnd } from "../../epic/schedule.ts";
import type { Epic } from "../../story/definition/epic.ts";
import { answer } from "./epic-summary.ts";
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

interface Given {
  readonly isStopped?: boolean;
  readonly mayMerge?: boolean;
  readonly needs?: readonly NeedRow[];
}

const said = (end: EpicEnd, manner: Given): string =>
  answer(EPIC, end, { isStopped: false, mayMerge: false, needs, ...manner }).text(painter(false));

describe("the end of an epic's run", () => {
  it("names for each story that needs a person the command that is next, and its question", () => {
    expect(said(LEFT, { mayMerge: true }).split("\n").slice(2)).toEqual([
      "Needs you",
      '  ■ shop--payment  blocked  saga resolve shop--payment "…" --run',
      "      b1: Which currency?",
      "  ◆ shop--cart     review   saga show shop--cart",
      "",
    ]);
  });

  it("does not call the stories of an epic completed that has none", () => {
    expect(said(NOTHING, { needs: [] })).toBe("It has no stories yet.\n");
  });

  it("says how to go on where reviewed stories were not to be merged", () => {
    const how = "`saga epic run shop --merge` merges what has passed its gate, and goes on.";
    expect(said(LEFT, { mayMerge: false })).toContain(how);
    expect(said(LEFT, { mayMerge: true })).not.toContain("--merge");
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
    const manner = { isStopped, mayMerge: false, needs };
    expect(answer(EPIC, { ...LEFT, ...end }, manner).exitCode).toBe(exitCode);
  });

  it("asks for nothing when it was stopped, and says what goes on", () => {
    const open = [{ id: "shop--cart", state: "running" }] as const;
    expect(said({ ...NOTHING, isDone: false, open }, { isStopped: true })).toBe(
      "The run of shop was stopped.\nshop--cart goes on in its session; `saga stop shop--cart` ends it.\n",
    );
  });
});
