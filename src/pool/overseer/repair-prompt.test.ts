import { describe, expect, it } from "vitest";
import { repairPrompt, type RepairBrief } from "./repair-prompt.ts";

const brief: RepairBrief = {
  list: "/tasks/chores",
  contextFile: "/project/.claude/saga_task_context.toml",
  problems: [
    { kind: "invalid-json", file: "/tasks/chores/2.json", taskId: "2", message: "Not JSON." },
  ],
  committed: new Map(),
  before: undefined,
};

describe("the prompt of a repair", () => {
  it("names task, file, failure and message", () => {
    expect(repairPrompt(brief)).toContain(
      "Task: 2\nFile: /tasks/chores/2.json\nFailure: invalid-json\nError: Not JSON.\n",
    );
  });

  it("lists every failure, without empty fields", () => {
    const more = { kind: "context", message: "Not TOML." } as const;
    const prompt = repairPrompt({ ...brief, problems: [...brief.problems, more] });
    expect(prompt).toContain("\n\nFailure: context\nError: Not TOML.\n");
    expect(prompt).toContain("Failure: invalid-json");
  });

  it("lists what the repair may do, and nothing else", () => {
    const prompt = repairPrompt(brief);
    for (const part of [
      "fix malformed task JSON files",
      "circular dependencies by editing blockedBy",
      "restore missing task files from version control",
      "Never mark a task as completed",
      "there is no shell",
    ]) {
      expect(prompt).toContain(part);
    }
  });

  it("contains the last committed version, whatever is in it", () => {
    const committed = new Map([["/tasks/chores/2.json", '{"description":"```` and ```"}\n']]);
    expect(repairPrompt({ ...brief, committed })).toContain(
      'As last committed, /tasks/chores/2.json:\n`````\n{"description":"```` and ```"}\n`````',
    );
  });

  it("names what an earlier repair did not fix", () => {
    expect(repairPrompt(brief)).not.toContain("earlier repair");
    expect(repairPrompt({ ...brief, before: "cycle: 1 → 2 → 1." })).toContain("cycle: 1 → 2 → 1.");
  });
});
