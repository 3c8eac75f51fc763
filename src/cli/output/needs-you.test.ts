import { expect, it } from "vitest";
import type { StoryView } from "../../store/views/overview.ts";
import type { StoryState } from "../../story/state/state.ts";
import { needLines, needRow, withAttention } from "./needs-you.ts";
import { painter } from "./terminal.ts";

const view = (id: string, state: StoryState, more: object = {}) =>
  ({
    record: { id, story: { status: "in_progress", priority: 3, ...more }, tasks: [] },
    state,
    openBlockers: [{ blocker: "B1", title: "Which one?" }],
    lastRun: { reason: "It broke.", ...more },
  }) as unknown as StoryView;

const rows = (...views: StoryView[]) => withAttention(views).map(needRow);

it("leaves out what a person cannot act on, and puts the most urgent first", () => {
  const all = [
    view("low", "failed", { priority: 4 }),
    view("done", "completed"),
    view("waits", "waiting"),
  ];
  expect(
    rows(...all, view("high", "failed", { priority: 1 }), view("asks", "blocked")).map(
      ({ id }) => id,
    ),
  ).toEqual(["asks", "high", "low"]);
});

it("shows the questions of a blocked story, the reason of a failed one, and nothing where the word is enough", () => {
  const about = (state: StoryState) => rows(view("a", state))[0]?.about;
  expect(about("blocked")).toEqual(["B1: Which one?"]);
  expect(about("failed")).toEqual(["It broke."]);
  expect(about("review")).toEqual([]);
});

it("names the kind where the state does not explain the next command", () => {
  expect(rows(view("a", "review", { pushError: "No network." }))[0]?.word).toBe("push failed");
  expect(rows(view("a", "sent-back"))[0]?.word).toBe("sent back");
});

it("aligns the commands below each other", () => {
  const columns = needLines(rows(view("a", "failed"), view("longer", "review")), painter(false))
    .filter((line) => line.includes("saga "))
    .map((line) => line.indexOf("saga "));
  expect(columns).toHaveLength(2);
  expect(columns[0]).toBe(columns[1]);
});
