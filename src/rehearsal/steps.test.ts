import { describe, expect, it } from "vitest";
import { stepsOfTask } from "./steps.ts";

describe("the rehearsal of a task", () => {
  it("follows the steps in its field", () => {
    const rehearsal = [
      { write: "a.txt", content: "hello\n" },
      { run: "npm test" },
      { decide: "Use B.", because: "It is there." },
      { ask: "A or B?" },
      { tool: "Read", input: { file_path: "a.txt" } },
    ];
    expect(stepsOfTask("form", rehearsal)).toEqual([
      { tool: "Write", input: { file_path: "a.txt", content: "hello\n" } },
      { tool: "Bash", input: { command: "npm test", description: "Run it" } },
      {
        tool: "mcp__saga__journal",
        input: { kind: "decision", title: "Use B.", body: "It is there." },
      },
      { tool: "mcp__saga__report_blocker", input: { title: "A or B?", body: "" } },
      { tool: "Read", input: { file_path: "a.txt" } },
    ]);
  });

  it("may be empty", () => {
    expect(stepsOfTask("form", [])).toEqual([]);
  });

  it.each([[undefined], ["text"], [[{ dance: "well" }]], [{ write: "a.txt" }]])(
    "is a small file when its field is invalid: %j",
    (rehearsal) => {
      expect(stepsOfTask("form", rehearsal)).toMatchObject([
        { tool: "Write", input: { file_path: "rehearsal/form.md" } },
      ]);
    },
  );
});
