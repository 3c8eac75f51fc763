import { expect, it } from "vitest";
import type { StoryView } from "../../store/views/overview.ts";
import { storyJson } from "./story-json.ts";

const view = (more: object = {}) =>
  ({
    record: { story: { id: "a" }, tasks: [{ status: "completed" }, { status: "pending" }] },
    openBlockers: [],
    lastRun: {},
    ...more,
  }) as unknown as StoryView;

it("counts the completed tasks", () => {
  expect(storyJson(view(), undefined).tasks).toEqual({ total: 2, completed: 1 });
});

it("names a worker only while it is alive", () => {
  const lease = { record: { owner: "me", pid: 7 } };
  expect(storyJson(view({ lease: { ...lease, life: "alive" } }), undefined).worker).toEqual(
    lease.record,
  );
  expect(storyJson(view({ lease: { ...lease, life: "dead" } }), undefined).worker).toBeUndefined();
});
