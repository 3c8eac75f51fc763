import { expect, it } from "vitest";
import type { EpicView, StoryView } from "../../store/views/overview.ts";
import { NO_RUN } from "../../store/runs/last-run.ts";
import type { StoryState } from "../../story/state/state.ts";
import { applicableEpics, applicableStories } from "./applicable.ts";

const view = (id: string, state: StoryState, more: Partial<StoryView> = {}): StoryView =>
  ({
    record: { id, source: "project", tasks: [], story: { id, title: id } },
    state,
    waitsFor: [],
    openBlockers: [],
    lastRun: NO_RUN,
    isWorktreeGone: false,
    ...more,
  }) as unknown as StoryView;

const stories = [
  view("a-waits", "waiting"),
  view("b-ready", "ready"),
  view("c-runs", "running", { lastRun: { ...NO_RUN, id: "1" } }),
  view("d-killed", "killed", { lastRun: { ...NO_RUN, id: "2" } }),
  view("e-asks", "blocked", { lastRun: { ...NO_RUN, id: "3" } }),
  view("f-review", "review", { lastRun: { ...NO_RUN, id: "4", pushError: "no network" } }),
  view("g-failed", "failed"),
  view("h-done", "completed"),
];

it.each([
  ["run", ["g-failed", "b-ready", "d-killed"]],
  ["resume", ["g-failed", "d-killed"]],
  ["stop", ["c-runs"]],
  ["attach", ["c-runs"]],
  ["logs", ["e-asks", "f-review", "d-killed", "c-runs"]],
  ["resolve", ["e-asks"]],
  ["accept", ["g-failed", "f-review"]],
  ["merge", ["f-review"]],
  ["push", ["f-review"]],
  ["archive", ["h-done"]],
])("saga %s fits %j, what needs a person first", (command, expected) => {
  const ids = applicableStories(command, stories).map(({ record }) => record.id);
  expect(ids).toEqual(expected);
});

it("other commands fit every story, and those that no action fits come last", () => {
  const ids = applicableStories("journal", stories).map(({ record }) => record.id);
  expect(ids).toHaveLength(stories.length);
  expect(ids.slice(-2).toSorted()).toEqual(["a-waits", "h-done"]);
});

it("an epic fits a merge when its branch waits for one, and a run until it is completed", () => {
  const epics = [
    { epic: { id: "open" }, status: "in_progress", awaitsMerge: false },
    { epic: { id: "ready" }, status: "completed", awaitsMerge: true },
  ] as unknown as EpicView[];
  const ids = (command: string) => applicableEpics(command, epics).map(({ epic }) => epic.id);
  expect(ids("merge")).toEqual(["ready"]);
  expect(ids("run")).toEqual(["open"]);
  expect(ids("attach")).toEqual(["open"]);
  expect(ids("show")).toEqual(["open", "ready"]);
});
