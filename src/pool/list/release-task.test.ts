import { describe, expect, it } from "vitest";
import { claudeTask } from "../../../test/support/claude-list.ts";
import { releaseChange } from "./release-task.ts";

const pool = { id: "1", held: undefined, attempts: 0, answers: [] };
const held = { kind: "blocker", why: "Which database?", at: "2026-11-15T21:48:00.000Z" } as const;
const TASK = claudeTask("1", { metadata: { saga: { held, attempts: 3 } } });

describe("releasing a task", () => {
  it("removes its hold and its failed attempts", () => {
    expect(releaseChange({ ...pool, held, attempts: 3 }, undefined)?.(TASK)).not.toHaveProperty(
      "metadata",
    );
  });

  it("keeps an answer with its question, after earlier ones", () => {
    const before = { question: "Which port?", answer: "8080" };
    const change = releaseChange({ ...pool, held, answers: [before] }, "SQLite");
    expect(change?.(TASK).metadata).toEqual({
      saga: { answers: [before, { question: "Which database?", answer: "SQLite" }] },
    });
  });

  it("changes nothing in a task that is neither held nor failed", () => {
    expect(releaseChange(pool, undefined)).toBeUndefined();
  });

  it("refuses an answer without a question", () => {
    expect(() => releaseChange(pool, "SQLite")).toThrow("has no open question");
  });
});
