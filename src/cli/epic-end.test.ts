import { describe, expect, it } from "vitest";
import { anEpic } from "../../test/support/project.ts";
import type { EpicEnd } from "../pool/epic/schedule.ts";
import type { Epic } from "../story/epic.ts";
import { answer } from "./epic-end.ts";
import { painter } from "./output.ts";

const EPIC = anEpic("shop", []) as unknown as Epic;
const LEFT: EpicEnd = {
  isDone: false,
  open: [
    { id: "shop--cart", state: "review" },
    { id: "shop--payment", state: "blocked" },
    { id: "shop--mail", state: "waiting" },
  ],
  waiting: [{ id: "shop--mail", why: "shop--payment comes first, and has a question for you" }],
};
const questions = new Map([["shop--payment", ["b1: Which currency?"]]]);

const said = (end: EpicEnd, manner: { isStopped?: boolean; mayMerge?: boolean }): string =>
  answer(EPIC, end, { isStopped: false, mayMerge: false, questions, ...manner }).text(
    painter(false),
  );

describe("the end of an epic's run", () => {
  it("names for each story that needs a person the command that is next, and its question", () => {
    expect(said(LEFT, { mayMerge: true }).split("\n").slice(2)).toEqual([
      "Needs you",
      "  ◆ shop--cart     review   saga show shop--cart",
      '  ■ shop--payment  blocked  saga resolve shop--payment "…"',
      "      b1: Which currency?",
      "",
    ]);
  });

  it("does not call the stories of an epic completed that has none", () => {
    expect(said({ isDone: true, open: [], waiting: [] }, {})).toBe("It has no stories yet.\n");
  });

  it("says how to go on where reviewed stories were not to be merged", () => {
    const how = "`saga epic run shop --merge` merges what has passed its gate, and goes on.";
    expect(said(LEFT, { mayMerge: false })).toContain(how);
    expect(said(LEFT, { mayMerge: true })).not.toContain("--merge");
  });

  it("asks for nothing when it was stopped, and says what goes on", () => {
    const open = [{ id: "shop--cart", state: "running" }] as const;
    expect(said({ isDone: false, open, waiting: [] }, { isStopped: true })).toBe(
      "The run of shop was stopped.\nshop--cart goes on in its session; `saga stop shop--cart` ends it.\n",
    );
  });
});
