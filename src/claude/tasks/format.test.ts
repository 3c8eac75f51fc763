import { describe, expect, it } from "vitest";
import { claudeTaskSchema, fromClaudeTask, toClaudeTask, toClaudeTasks } from "./format.ts";
import { taskSchema, type Task, type TaskInput } from "../../story/definition/task.ts";

const task = (fields: Partial<TaskInput> = {}): Task =>
  taskSchema.parse({
    id: "write-tests",
    subject: "Write tests",
    description: "For login.",
    ...fields,
  });

describe("a task for Claude", () => {
  it("has every field that Claude needs to see it at all, and no other", () => {
    expect(toClaudeTask(task())).toEqual({
      id: "write-tests",
      subject: "Write tests",
      description: "For login.",
      status: "pending",
      blocks: [],
      blockedBy: [],
    });
  });

  it("is made of a task that has only what its document demands", () => {
    const least = {
      id: "write-tests",
      subject: "Write tests",
      description: "For login.",
      status: "pending",
      blockedBy: [],
    } as const;
    expect(toClaudeTask(least)).toEqual(toClaudeTask(task()));
  });

  it("names the files that it may change, or was estimated to", () => {
    const files = { writeFiles: ["src/a.ts", "test/**"] };
    expect(toClaudeTask(task(files)).description).toBe(
      "For login.\n\nAllowed files:\n- src/a.ts\n- test/**",
    );
    expect(toClaudeTask(task({ ...files, splitFrom: "form" })).description).toContain(
      "Files to change, as estimated:\n- src/a.ts",
    );
    expect(toClaudeTask(task({ writeFiles: [] })).description).toBe("For login.");
  });

  it("keeps guidance and done-when in its metadata, and says them in the description as well", () => {
    const full = task({
      activeForm: "Writing tests",
      status: "in_progress",
      blockedBy: ["plan"],
      guidance: "One at a time.",
      doneWhen: "All pass.",
      checks: ["npm test", "npm run lint"],
    });
    expect(toClaudeTask(full, ["ship"])).toEqual({
      id: "write-tests",
      subject: "Write tests",
      description: [
        "For login.",
        "",
        "Guidance: One at a time.",
        "",
        "Done when: All pass.",
        "",
        "Checks that must pass:",
        "- npm test",
        "- npm run lint",
      ].join("\n"),
      activeForm: "Writing tests",
      status: "in_progress",
      blocks: ["ship"],
      blockedBy: ["plan"],
      metadata: { guidance: "One at a time.", doneWhen: "All pass." },
    });
  });

  it.each(["", "  \n"])("leaves out empty optional fields: guidance and done-when %j", (blank) => {
    expect(toClaudeTask(task({ guidance: blank, doneWhen: blank }))).toEqual(toClaudeTask(task()));
  });

  it("leaves out fields that Claude would erase at the first update", () => {
    const claude = toClaudeTask(
      task({ ticket: "ABC-1", writeFiles: ["src/**"], estimatedLines: 9 }),
    );
    for (const key of ["ticket", "writeFiles", "estimatedLines", "checks"]) {
      expect(claude).not.toHaveProperty(key);
    }
  });

  it("is a file that Claude reads back as it was written", () => {
    const claude = toClaudeTask(task({ guidance: "Slowly.", blockedBy: ["plan"] }));
    expect(claudeTaskSchema.parse(JSON.parse(JSON.stringify(claude)))).toEqual(claude);
  });

  it("does not share its lists with the task it was made from", () => {
    const source = task({ blockedBy: ["plan"] });
    const blocks = ["ship"];
    const claude = toClaudeTask(source, blocks);
    claude.blockedBy.push("x");
    claude.blocks.push("x");
    expect([source.blockedBy, blocks]).toEqual([["plan"], ["ship"]]);
  });
});

describe("the tasks of a story for Claude", () => {
  it("block what waits for them", () => {
    const claude = toClaudeTasks([
      task({ id: "a" }),
      task({ id: "b", blockedBy: ["a"] }),
      task({ id: "c", blockedBy: ["a", "b"] }),
    ]);
    expect(claude.map(({ id, blocks, blockedBy }) => [id, blocks, blockedBy])).toEqual([
      ["a", ["b", "c"], []],
      ["b", ["c"], ["a"]],
      ["c", [], ["a", "b"]],
    ]);
  });

  it("keep their order, and ignore references to unknown tasks", () => {
    const claude = toClaudeTasks([task({ id: "z", blockedBy: ["gone"] }), task({ id: "a" })]);
    expect(claude.map(({ id, blocks }) => [id, blocks])).toEqual([
      ["z", []],
      ["a", []],
    ]);
  });
});

describe("a task from Claude", () => {
  it("returns its status only", () => {
    const edited = { ...toClaudeTask(task()), status: "completed" as const, subject: "Changed" };
    expect(fromClaudeTask(edited)).toEqual({ status: "completed" });
  });

  it("may have an owner and unknown fields", () => {
    const file = { ...toClaudeTask(task()), owner: "worker-1", extra: true };
    expect(claudeTaskSchema.parse(file)).toEqual(file);
  });

  it.each(["id", "subject", "description", "status", "blocks", "blockedBy"])(
    "is refused without %s, as Claude refuses it",
    (key) => {
      const file = { ...toClaudeTask(task()), [key]: undefined };
      expect(claudeTaskSchema.safeParse(file).success).toBe(false);
    },
  );

  it.each([
    ["activeForm", null],
    ["status", "deleted"],
    ["id", 1],
    ["metadata", []],
  ])("is refused with %s: %j", (key, value) => {
    const file = { ...toClaudeTask(task()), [key]: value };
    expect(claudeTaskSchema.safeParse(file).success).toBe(false);
  });
});
