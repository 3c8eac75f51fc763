import { describe, expect, it } from "vitest";
import { changeAt, watchDepth, type ProjectChange, type WatchDepth } from "./project-change.ts";

const RUN = "20261115T214800123Z-1a2b3c";

describe("the change that a path means", () => {
  it.each<[path: string, change: ProjectChange | undefined]>([
    ["stories/add-login/story.json", { kind: "story", id: "add-login" }],
    ["stories/add-login/form.json", { kind: "story", id: "add-login" }],
    ["stories/add-login", { kind: "story", id: "add-login" }],
    ["stories/Not An Id", { kind: "names" }],
    ["stories", { kind: "names" }],
    ["stories/old-one.md", { kind: "legacy" }],
    ["stories/old-one/story.md", { kind: "legacy" }],
    ["archive/add-login", { kind: "story", id: "add-login" }],
    ["archive/old-one.md", { kind: "legacy" }],
    ["archive/old-one/story.md", { kind: "legacy" }],
    ["worktrees/add-login", { kind: "story", id: "add-login" }],
    ["worktrees/add-login/.git", { kind: "story", id: "add-login" }],
    ["worktrees/add-login/.saga/stories/add-login/form.json", { kind: "story", id: "add-login" }],
    [
      "worktrees/stories/add-login/.saga/stories/add-login/form.json",
      { kind: "story", id: "add-login" },
    ],
    [
      "worktrees/auth/login/.saga/stories/auth--login/story.json",
      { kind: "story", id: "auth--login" },
    ],
    ["epics/auth/epic.json", { kind: "epics" }],
    ["epics/auth", { kind: "epics" }],
    ["epics/auth/epic.md", { kind: "legacy" }],
    ["epics/auth/stories/login/story.md", { kind: "legacy" }],
    [`runs/add-login/${RUN}/run.json`, { kind: "runs", story: "add-login" }],
    [`runs/add-login/${RUN}/events.jsonl`, { kind: "events", story: "add-login", run: RUN }],
    ["runs/add-login/not-a-run/events.jsonl", { kind: "runs", story: "add-login" }],
    ["runs/..", undefined],
    ["leases/story.add-login/1.json", { kind: "lease", name: "story.add-login" }],
    ["leases/changes", undefined],
    ["auto/1a2b3c4d/auto-1.json", { kind: "pool" }],
    ["queue/here.main/1794843480000-1a2b3c4d.json", { kind: "lanes" }],
    ["queue/here.main/now.json", { kind: "lanes" }],
    ["queue/here.main/output/check.log", { kind: "output", lane: "here.main" }],
    ["conflicts/add-login.json", { kind: "conflicts" }],
    ["elsewhere/stories/add-login/story.json", { kind: "story", id: "add-login" }],
    ["elsewhere/leases.json", { kind: "leases" }],
    ["elsewhere", undefined],
    ["config.toml", { kind: "settings" }],
    ["epics.json", undefined],
    [".write.123.tmp", undefined],
  ])("%s", (path, change) => {
    expect(changeAt(path)).toEqual(change);
  });
});

describe("which folders are watched", () => {
  const facts = {
    isWorktree: (path: string): boolean => path === "worktrees/add-login",
    siblings: () => ["20261115T000000000Z-0000", RUN],
  };
  it.each<[path: string, depth: WatchDepth]>([
    ["", "branch"],
    ["stories", "branch"],
    ["stories/add-login", "leaf"],
    ["stories/add-login/deeper", undefined],
    ["archive", "leaf"],
    ["archive/add-login", undefined],
    ["runs/add-login", "branch"],
    [`runs/add-login/${RUN}`, "leaf"],
    ["runs/add-login/20261115T000000000Z-0000", undefined],
    ["worktrees/add-login", "branch"],
    ["worktrees/add-login/.saga", "branch"],
    ["worktrees/add-login/.saga/stories", "branch"],
    ["worktrees/add-login/.saga/stories/add-login", "leaf"],
    // The checkout also contains the other stories, but not their current copies.
    ["worktrees/add-login/.saga/stories/another", undefined],
    ["worktrees/add-login/.saga/worktrees", undefined],
    ["worktrees/add-login/node_modules", undefined],
    ["worktrees/auth/login", "branch"],
    ["epics/auth/stories/login", "leaf"],
    ["queue", "branch"],
    ["queue/here.main", "branch"],
    ["queue/here.main/output", "leaf"],
    ["queue/here.main/other", undefined],
    ["conflicts", "leaf"],
    ["elsewhere", "branch"],
    ["elsewhere/stories", "branch"],
    ["elsewhere/stories/add-login", "leaf"],
    ["elsewhere/stories/add-login/deeper", undefined],
    ["transaction", undefined],
    ["notices", undefined],
  ])("%s", (path, depth) => {
    expect(watchDepth(path, facts)).toBe(depth);
  });

  it("the newest run of a story that was once stopped: the stop file is not a run", () => {
    const stopped = { ...facts, siblings: () => ["20261115T000000000Z-0000", RUN, "stop"] };
    expect(watchDepth(`runs/add-login/${RUN}`, stopped)).toBe("leaf");
  });
});
