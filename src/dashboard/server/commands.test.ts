import { describe, expect, it } from "vitest";
import type { PageAction } from "../protocol/actions.ts";
import { actionSchema } from "../protocol/action-schema.ts";
import { commandOf } from "./commands.ts";

describe("each action is one command", () => {
  it.each<[action: PageAction, words: readonly string[], input?: string]>([
    [{ act: "run", story: "a" }, ["run", "a"]],
    [
      { act: "run", story: "a", model: "claude-opus-5", maxMinutes: 90, maxCostUsd: 2.5 },
      ["run", "a", "--model=claude-opus-5", "--max-time=90", "--max-cost=2.5"],
    ],
    [{ act: "resume", story: "a", maxCostUsd: 3 }, ["resume", "a", "--max-cost=3"]],
    [{ act: "archive", story: "a" }, ["archive", "a"]],
    [{ act: "remove", story: "a" }, ["rm", "a", "--yes"]],
    [{ act: "restore", story: "a", number: 3 }, ["snapshot", "restore", "a", "3"]],
    [{ act: "note", story: "a", text: "--open" }, ["note", "a", "-"], "--open"],
    [
      { act: "note", story: "a", text: "Cents\n\nNot floats.\n" },
      ["note", "a", "-"],
      "Cents\n\nNot floats.\n",
    ],
    [{ act: "stop", story: "a" }, ["stop", "a"]],
    [{ act: "resume", story: "a" }, ["resume", "a"]],
    [{ act: "merge", story: "a" }, ["merge", "a", "--ask-first"]],
    [{ act: "merge", story: "a", updateCheckout: true }, ["merge", "a", "--update-checkout"]],
    [{ act: "verify", story: "a" }, ["verify", "a"]],
    [{ act: "discard", story: "a" }, ["discard", "a", "--yes"]],
    [{ act: "accept", story: "a" }, ["accept", "a"]],
    [{ act: "accept", story: "a", merge: true }, ["accept", "a", "--merge", "--ask-first"]],
    [
      { act: "accept", story: "a", override: ["secret", "check"], why: "-x" },
      ["accept", "a", "--override=secret", "--override=check", "--why=-x"],
    ],
    [{ act: "reject", story: "a", why: "--help" }, ["send-back", "a", "-"], "--help"],
    [{ act: "reject", story: "a", why: "No.", run: true }, ["send-back", "a", "-", "--run"], "No."],
    [
      { act: "resolve", story: "a", blocker: "b2", answer: "Yes.", run: true },
      ["resolve", "a", "-", "--blocker=b2", "--run"],
      "Yes.",
    ],
    [
      { act: "resolve", story: "a", blocker: "b2", answer: "-" },
      ["resolve", "a", "-", "--blocker=b2"],
      "-",
    ],
    [{ act: "epic-run", epic: "e" }, ["epic", "run", "e", "--detach"]],
    [{ act: "epic-run", epic: "e", parallel: 3 }, ["epic", "run", "e", "--detach", "--parallel=3"]],
    [
      { act: "epic-run", epic: "e", merge: true },
      ["epic", "run", "e", "--detach", "--merge", "--ask-first"],
    ],
    [
      { act: "epic-run", epic: "e", merge: true, updateCheckout: true },
      ["epic", "run", "e", "--detach", "--merge", "--update-checkout"],
    ],
    [{ act: "epic-run", epic: "e", merge: false }, ["epic", "run", "e", "--detach"]],
    [
      { act: "epic-run", epic: "e", parallel: 2, model: "opus", maxMinutes: 30 },
      ["epic", "run", "e", "--detach", "--parallel=2", "--model=opus", "--max-time=30"],
    ],
    [{ act: "queue-hold", entry: "a" }, ["queue", "hold", "a"]],
    [{ act: "queue-release", entry: "a" }, ["queue", "release", "a"]],
    [{ act: "queue-drop", entry: "auto-1/7" }, ["queue", "drop", "auto-1/7"]],
    [{ act: "queue-run" }, ["queue", "run"]],
    [{ act: "epic-stop", epic: "e" }, ["epic", "stop", "e"]],
    [{ act: "session-stop", session: "saga-story-a-1700000000000" }, ["stop", "a"]],
    [{ act: "session-stop", session: "saga-epic-e-1700000000000" }, ["epic", "stop", "e"]],
    [{ act: "task-release", task: "12" }, ["task", "release", "12"]],
    [
      { act: "task-add", subject: "--json", priority: 1, label: "ui" },
      ["task", "add", "--priority=1", "--label=ui", "--", "--json"],
    ],
    [{ act: "pool-list", list: "shop" }, ["config", "set", "auto.task_list_id", "shop"]],
    [{ act: "pool-start" }, ["auto", "--detach"]],
    [{ act: "pool-start", workers: 3, once: true }, ["auto", "--detach", "--workers=3", "--once"]],
    [{ act: "pool-stop", instance: "1a2b3c4d" }, ["auto", "stop", "1a2b3c4d"]],
    [{ act: "pool-drain", instance: "1a2b3c4d" }, ["auto", "drain", "1a2b3c4d"]],
    [
      { act: "new-story", id: "a", description: "--help" },
      ["new", "story", "a", "--description=-"],
      "--help",
    ],
    [
      {
        act: "new-story",
        id: "login",
        epic: "auth",
        title: "-x",
        description: "Do it.",
        doneWhen: "It works.",
        checks: ["npm test, twice", "npm run lint"],
        writeFiles: ["src/{a,b}.ts"],
        labels: ["ui"],
        blockedBy: ["db"],
        priority: 0,
        needsReview: true,
      },
      [
        "new",
        "story",
        "login",
        "--epic=auth",
        "--title=-x",
        "--label=ui",
        "--priority=0",
        "--needs-review",
        "--done-when=It works.",
        "--check=npm test, twice",
        "--check=npm run lint",
        "--write=src/{a,b}.ts",
        "--blocked-by=db",
        "--description=-",
      ],
      "Do it.",
    ],
    [
      { act: "new-task", story: "a", id: "form", subject: "Form", description: "x" },
      ["new", "task", "a", "form", "--subject=Form", "--description=-"],
      "x",
    ],
    [{ act: "new-epic", id: "e", description: "x" }, ["new", "epic", "e", "--description=-"], "x"],
    [
      {
        act: "edit",
        kind: "story",
        id: "a",
        set: [
          { field: "title", value: "A=b" },
          { field: "checks", value: ["a, b", "c"] },
          { field: "labels", value: [] },
          { field: "needsReview", value: false },
          { field: "guidance" },
        ],
      },
      [
        "edit",
        "a",
        "--set=title=A=b",
        '--set=checks=["a, b","c"]',
        "--set=labels=",
        "--set=needsReview=false",
        "--set=guidance=",
      ],
    ],
    [
      { act: "edit", kind: "epic", id: "e", set: [{ field: "title", value: "E" }] },
      ["edit", "e", "--epic", "--set=title=E"],
    ],
    [{ act: "unarchive", story: "a" }, ["unarchive", "a"]],
    [{ act: "remove-task", story: "a", task: "form" }, ["rm", "a/form", "--yes"]],
    [{ act: "remove-epic", epic: "e" }, ["rm", "e", "--epic", "--yes"]],
    [
      { act: "remove-epic", epic: "e", keepStories: true },
      ["rm", "e", "--epic", "--yes", "--force"],
    ],
  ])("%j", (action, words, input) => {
    expect(actionSchema.safeParse(action).error).toBeUndefined();
    const { done, ...command } = commandOf(action);
    expect(command).toEqual({ words, ...(input !== undefined && { input }) });
    expect(done).toMatch(/^[A-Za-z].*\.$/);
  });
});
