import { describe, expect, it } from "vitest";
import { weakenedSince, type GateDefinition } from "./weakened-definition.ts";

type Story = GateDefinition["story"];
type Task = GateDefinition["tasks"][number];

const aDefinition = (
  story: Partial<Story> = {},
  tasks: Task[] = [task("form")],
): GateDefinition => ({
  story: { checks: [], needsTesting: false, needsReview: false, ...story },
  tasks,
});

function task(id: string, more: Partial<Task> = {}): Task {
  return { id, checks: [], ...more };
}

const messages = (
  initial: GateDefinition | readonly GateDefinition[],
  now: GateDefinition,
): string[] =>
  weakenedSince([initial].flat(), now).map(({ rule, message }) => {
    expect(rule).toBe("definition");
    return message;
  });

describe("a story that asks for less than when it began", () => {
  it("lacks a check, or has another instead", () => {
    const sentence = "The check `npm test` was removed after the story began.";
    const initial = aDefinition({ checks: ["npm test"] });
    expect(messages(initial, aDefinition())).toEqual([sentence]);
    expect(messages(initial, aDefinition({ checks: ["npm test || true"] }))).toEqual([sentence]);
  });

  it("no longer needs a tester or reviewer", () => {
    expect(messages(aDefinition({ needsTesting: true, needsReview: true }), aDefinition())).toEqual(
      [
        "The tester was removed after the story began.",
        "The reviewer was removed after the story began.",
      ],
    );
  });

  it("may change more files", () => {
    const initial = aDefinition({ writeFiles: ["src/**", "!src/key.ts"] });
    expect(messages(initial, aDefinition())).toEqual([
      "The limit on its files was removed after the story began.",
    ]);
    expect(messages(initial, aDefinition({ writeFiles: ["src/**", "**"] }))).toEqual([
      "`**` was added to its allowed files after the story began.",
      "The exception `!src/key.ts` was removed from its allowed files after the story began.",
    ]);
  });

  it("lacks a task, or a check of one", () => {
    const initial = aDefinition({}, [task("form", { checks: ["npm test"] }), task("page")]);
    expect(messages(initial, aDefinition({}, [task("form")]))).toEqual([
      "The check `npm test` of the task form was removed after the story began.",
      "The task page was removed after the story began.",
    ]);
  });
});

describe("a story that asks for no less", () => {
  it("may ask for more", () => {
    const now = aDefinition(
      { checks: ["npm test", "npm run lint"], needsTesting: true, writeFiles: ["!src/key.ts"] },
      [task("form", { checks: ["npm test"] }), task("fix", { writeFiles: [] })],
    );
    expect(messages(aDefinition({ checks: ["npm test"] }), now)).toEqual([]);
    expect(messages(aDefinition({ writeFiles: ["src/**", "!src/key.ts"] }), now)).toEqual([]);
  });

  it("may have a split task, whose checks are in the last part of the last part", () => {
    const initial = aDefinition({}, [task("form", { checks: ["npm test"] })]);
    const now = aDefinition({}, [
      task("form"),
      task("form-2", { splitFrom: "form" }),
      task("form-3", { splitFrom: "form-2", checks: ["npm test"] }),
    ]);
    expect(messages(initial, now)).toEqual([]);
    expect(messages(initial, { ...now, tasks: now.tasks.slice(0, 2) })).toHaveLength(1);
  });

  it("may match any of the versions of people", () => {
    const committed = aDefinition({ checks: ["npm test"], writeFiles: ["a"] });
    const started = aDefinition({ checks: ["npm test", "lint"], writeFiles: ["a", "b"] });
    const both = [committed, started];
    expect(messages(both, aDefinition({ checks: ["npm test"], writeFiles: ["a", "b"] }))).toEqual(
      [],
    );
    expect(messages(both, aDefinition({ checks: ["lint"], writeFiles: ["a", "b", "c"] }))).toEqual([
      "The check `npm test` was removed after the story began.",
      "`c` was added to its allowed files after the story began.",
    ]);
    expect(messages([], aDefinition())).toEqual([]);
  });
});

describe("a definition that one version of people had and another had not", () => {
  it("is identified by the key of its finding, not by the message", () => {
    const initial = [aDefinition({ checks: ["a", "b"] }), aDefinition({ checks: ["b"] })];
    expect(weakenedSince(initial, aDefinition()).map(({ key }) => key)).toEqual([
      "check-removed b",
    ]);
  });
});
