import { describe, expect, it } from "vitest";
import { defaults } from "../../../test/support/default-settings.ts";
import {
  conflictPrompt,
  fixPrompt,
  poolPrompt,
  restartPrompt,
  type TaskPromptRequest,
} from "./prompt.ts";

const request: TaskPromptRequest = {
  task: { id: "12", subject: "Add a login", description: "A page with a form." },
  list: "chores",
  worktree: "/project/.saga/worktrees/auto-1",
  target: "main",
  context: { prologue: "", epilogue: "" },
  gate: { limits: defaults.gate, checks: [] },
  answers: [],
  lastFailure: undefined,
};

const placesIn = (prompt: string, ...parts: string[]): number[] =>
  parts.map((part) => prompt.indexOf(part));

describe("the prompt of a task in the pool", () => {
  it("starts with the place and the rules, and ends with the task", () => {
    const prompt = poolPrompt(request);
    expect(prompt).toMatch(
      /^You are working on task 12 of the task list chores, in the worktree \/project\/\.saga\/worktrees\/auto-1\./,
    );
    for (const word of ["finish", "no_changes", "report_blocker", "Do not commit", "TaskCreate"]) {
      expect(prompt).toContain(word);
    }
    expect(prompt).toContain("merged into main when you have finished it and it passes the gate.");
    expect(prompt).toContain("\n\nAdd a login\n\n");
    expect(prompt).toMatch(/A page with a form\.$/);
  });

  it("has the prologue before the task and the epilogue after it", () => {
    const context = { prologue: "Follow the standards.\n", epilogue: "\nRun the tests." };
    const prompt = poolPrompt({ ...request, context });
    const places = placesIn(
      prompt,
      "You are working on",
      "Follow the standards.",
      "Add a login",
      "A page with a form.",
      "Run the tests.",
    );
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(places).not.toContain(-1);
    expect(prompt).not.toContain("\n\n\n");
  });

  it("names the commands that must pass", () => {
    const gate = { ...request.gate, checks: ["npm test", "npm run lint"] };
    expect(poolPrompt({ ...request, gate })).toContain("`npm test`, `npm run lint`");
  });

  it("contains a person's answers and the last failure before the epilogue", () => {
    const prompt = poolPrompt({
      ...request,
      context: { prologue: "", epilogue: "Run the tests." },
      answers: [{ question: "Which form?\nOld or new?", answer: "The new one." }],
      lastFailure: "npm test failed:\n1 failed",
    });
    expect(prompt).toContain("- Which form?\n  Old or new?\n  Answer: The new one.\n\n");
    expect(prompt).toContain("failed:\n- npm test failed:\n  1 failed\n\nRun the tests.");
  });

  it("keeps the task's text unchanged, whatever is in it", () => {
    const description = "Use $& and `$1`.\n\n  An indented line\n- a list";
    expect(poolPrompt({ ...request, task: { ...request.task, description } })).toContain(
      description,
    );
  });
});

describe("a later prompt", () => {
  it("of a refusal quotes it and asks to finish again", () => {
    expect(fixPrompt("The check failed.")).toMatch(
      /^The check failed\.\n\nFix the cause\..*finish again\.$/,
    );
  });

  it("of a conflict names the target and shows both sides", () => {
    const prompt = conflictPrompt("main", "<<<<<<<");
    expect(placesIn(prompt, "main has new commits", "<<<<<<<", "Do not commit")).toEqual(
      placesIn(prompt, "main has new commits", "<<<<<<<", "Do not commit").toSorted(
        (a, b) => a - b,
      ),
    );
    expect(prompt).toContain("<<<<<<<");
  });

  it("of a new conversation starts with the first one, and says that there is work", () => {
    expect(restartPrompt("First.", "Next.")).toBe(
      "First.\n\nThe work has already been started; the worktree contains it.\n\nNext.",
    );
  });
});
