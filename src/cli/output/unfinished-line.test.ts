import { expect, it } from "vitest";
import type { StoryView } from "../../store/views/overview.ts";
import type { StoryState } from "../../story/state/state.ts";
import { painter } from "./terminal.ts";
import { unfinishedIn, unfinishedLine } from "./unfinished-line.ts";

const views = (...states: StoryState[]) =>
  states.map((state) => ({ record: { id: state }, state }) as unknown as StoryView);

it("counts only stories that nothing else explains", () => {
  expect(unfinishedLine(views("killed", "stopped", "limit", "failed"), painter(false))).toEqual([
    expect.stringContaining("1 unfinished story "),
  ]);
  expect(unfinishedLine(views("stopped", "ready"), painter(false))).toEqual([]);
});

it("a story that reached a limit was started, and one that is ready was not", () => {
  expect(unfinishedIn(views("limit", "ready", "completed"))).toEqual(["limit"]);
});
