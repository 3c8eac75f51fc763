import { describe, expect, it } from "vitest";
import { aStory, aTask, newProject, type Project } from "../../../test/support/project.ts";
import { layoutOf } from "../project/layout.ts";
import { lastRunOf, readHookTasks } from "./hook-story.ts";

const FOLDER = ".saga/stories/one";
const tasksIn = ({ path }: Project) => readHookTasks(`${path}/${FOLDER}`);

describe("the tasks that a hook script sees", () => {
  it("are those of the story's folder, with the same defaults as everywhere", () => {
    const project = newProject();
    project.write(`${FOLDER}/story.json`, aStory("one"));
    project.write(`${FOLDER}/form.json`, aTask("form", { status: "completed", checks: ["lint"] }));
    project.write(`${FOLDER}/bare.json`, {});
    project.write(`${FOLDER}/notes.md`, "# Notes\n");
    expect(tasksIn(project).toSorted((a, b) => (a.id < b.id ? -1 : 1))).toMatchObject([
      { id: "bare", subject: "bare", status: "pending", blockedBy: [], checks: [] },
      { id: "form", subject: "Do form", status: "completed", checks: ["lint"] },
    ]);
  });

  it("are read although others are broken, linked or have an impossible name", () => {
    const project = newProject();
    project.write(`${FOLDER}/form.json`, aTask("form", { status: "done?", blockedBy: ["a", 7] }));
    project.write(`${FOLDER}/broken.json`, "{");
    project.write(`${FOLDER}/list.json`, "null");
    project.write(`${FOLDER}/My Task.json`, aTask("x"));
    project.link(`${FOLDER}/link.json`, "form.json");
    expect(tasksIn(project)).toMatchObject([{ id: "form", status: "pending", blockedBy: ["a"] }]);
  });

  it("are none without a folder", () => {
    expect(tasksIn(newProject())).toEqual([]);
  });
});

describe("the last run that a hook script sees", () => {
  const NOW = Date.UTC(2026, 5, 1);
  const id = (day: number): string => `2026050${day}T000000000Z-0001`;
  const last = (...runs: readonly Record<string, unknown>[]) => {
    const project = newProject();
    for (const [at, run] of runs.entries()) {
      project.write(`.saga/runs/one/${id(at + 1)}/run.json`, run);
    }
    return lastRunOf(layoutOf(project.path), "one", NOW);
  };

  it("is the newest one about the story itself", () => {
    expect(last({ outcome: "failed" }, { outcome: "blocked" }).lastOutcome).toBe("blocked");
    expect(last({ outcome: "failed" }, { outcome: "done", isAside: true }).lastOutcome).toBe(
      "failed",
    );
  });

  it("is open while a worker's end is not recorded, and killed once it is known", () => {
    expect(last({ worker: { pid: 1 } })).toMatchObject({
      hasOpenRun: true,
      lastOutcome: undefined,
    });
    expect(last({ worker: { pid: 1 }, outcome: "killed" })).toMatchObject({
      hasOpenRun: false,
      lastOutcome: "killed",
    });
    expect(last({ outcome: "perhaps" }).lastOutcome).toBeUndefined();
  });

  it("is none after a discard, and a merge needs more than a file that says so", () => {
    expect(last({ outcome: "failed" }, { outcome: "done", discardedAt: "2026" }).hasRun).toBe(
      false,
    );
    expect(last({ outcome: "failed" }, { outcome: "merged" }).lastOutcome).toBe("failed");
  });
});
