import { describe, expect, it } from "vitest";
import { aStory, anEpic } from "../../../test/support/project.ts";
import { epicSchema } from "../../story/definition/epic.ts";
import { storySchema } from "../../story/definition/story.ts";
import type { LeaseState } from "../leases/leases.ts";
import type { StoryOutline } from "../project/read.ts";
import { NO_RUN, type LastRun } from "../runs/last-run.ts";
import { isBegun, isMerging, membershipIn, viewRecord, wasKilled } from "./overview.ts";

const story = (id: string, more = {}) => storySchema.parse(aStory(id, more));
const epics = (...all: ReturnType<typeof anEpic>[]) =>
  new Map(all.map((fields) => [fields.id, epicSchema.parse(fields)]));

const SHOP = anEpic("shop", [
  { id: "shop--list" },
  { id: "shop--cart", blockedBy: ["shop--list"] },
]);
const nothing = () => false;

describe("a story's epic", () => {
  it("is the one that lists it, unless the story names another", () => {
    const { epicOf } = membershipIn(epics(SHOP), new Set(), nothing);
    expect(epicOf(story("shop--cart"))).toBe("shop");
    expect(epicOf(story("shop--cart", { epic: "blog" }))).toBe("blog");
    expect(epicOf(story("alone"))).toBeUndefined();
  });

  it("is known by the story's name if the epic cannot be read, and its dependencies are unknown then", () => {
    const { epicOf, isEpicBroken } = membershipIn(epics(), new Set(["shop"]), nothing);
    expect(epicOf(story("shop--cart"))).toBe("shop");
    expect(isEpicBroken(story("shop--cart"))).toBe(true);
    expect(isEpicBroken(story("alone"))).toBe(false);
  });
});

it("a story waits for those that its epic puts before it, until they are completed", () => {
  const waiting = membershipIn(epics(SHOP), new Set(), nothing).waitsFor;
  expect(waiting.get("shop--cart")).toEqual(["shop--list"]);
  const free = membershipIn(epics(SHOP), new Set(), (id) => id === "shop--list").waitsFor;
  expect(free.get("shop--cart") ?? []).toEqual([]);
});

describe("the view of a story", () => {
  const membership = membershipIn(epics(SHOP), new Set(), nothing);
  const outline = (more: Partial<StoryOutline> = {}): StoryOutline => ({
    id: "alone",
    folder: "/p/.saga/stories/alone",
    source: "project",
    story: story("alone"),
    tasks: [],
    journal: undefined,
    ...more,
  });
  const view = (record: StoryOutline, lastRun: Partial<LastRun> = {}, hasLost = false) =>
    viewRecord(record, membership, {
      lease: undefined,
      lastRun: { ...NO_RUN, ...lastRun },
      hasLostWorktree: () => hasLost,
    });

  it("is ready, or waits for others, before it was started", () => {
    expect(view(outline()).state).toBe("ready");
    expect(view(outline({ id: "shop--cart", story: story("shop--cart") })).waitsFor).toEqual([
      "shop--list",
    ]);
  });

  it("is completed once it is merged or archived, whatever older files here say", () => {
    const merged = view(outline(), { outcome: "merged" });
    expect(merged.record.story.status).toBe("completed");
    expect(view(outline({ source: "archive" })).state).toBe("completed");
    expect(view(outline(), { outcome: "failed" }).record.story.status).toBe("pending");
  });

  it("misses its worktree if its branch is there and the folder is not, but not once it is merged", () => {
    expect(view(outline(), {}, true).isWorktreeGone).toBe(true);
    expect(isBegun(view(outline(), {}, true))).toBe(true);
    expect(view(outline(), { outcome: "merged" }, true).isWorktreeGone).toBe(false);
    expect(view(outline({ source: "worktree" }), {}, true).isWorktreeGone).toBe(false);
  });

  it("has the open questions of its journal", () => {
    const journal = "## 2026-01-01T00:00:00.000Z Blocker b1: Which one?\n";
    expect(view(outline({ journal })).openBlockers).toHaveLength(1);
  });
});

it("a story is being merged only while a living command holds it for that", () => {
  const lease = (life: string, purpose: string) =>
    ({ lease: { life, record: { purpose } } as LeaseState }) as const;
  expect(isMerging(lease("alive", "merge"))).toBe(true);
  expect(isMerging(lease("dead", "merge"))).toBe(false);
  expect(isMerging(lease("alive", "work"))).toBe(false);
});

it("a worker was killed if its run has no end; a failed start is no kill", () => {
  const killed = (lastRun: Partial<LastRun>) =>
    wasKilled({ state: "killed", lastRun: { ...NO_RUN, ...lastRun } });
  expect(killed({ isOpen: true })).toBe(true);
  expect(killed({ outcome: "killed" })).toBe(true);
  expect(killed({ outcome: "failed" })).toBe(false);
});
