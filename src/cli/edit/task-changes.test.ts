import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newClaimer } from "../../../test/support/claims.ts";
import type { Project } from "../../../test/support/project.ts";
import { misused, refused } from "../../../test/support/refused.ts";
import { aLooseTask, LIST, withTasks } from "../../../test/support/task-commands.ts";
import { claimTask } from "../../tasks/claims/claim.ts";

const isThere = (project: Project, id: string): boolean =>
  existsSync(join(project.path, LIST, `${id}.json`));

const three = (): Project =>
  withTasks(
    aLooseTask("1", { blocks: ["2"], metadata: { label: "ui", mine: 1 } }),
    aLooseTask("2", { blockedBy: ["1"] }),
    aLooseTask("3", { unknown: true }),
  );

describe("saga task edit", () => {
  it("changes the given fields, and leaves the rest", async () => {
    const project = three();
    const words = ["--subject", "New", "-d", "More.", "--priority", "0", "--label", ""];
    const { exitCode, stdout } = await project.saga("task", "edit", "1", ...words);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "Changed task 1: New\n" });
    expect(project.json(`${LIST}/1.json`)).toEqual(
      aLooseTask("1", {
        subject: "New",
        description: "More.",
        blocks: ["2"],
        metadata: { mine: 1, priority: 0 },
      }),
    );
  });

  it("writes a dependency to both tasks", async () => {
    const project = three();
    await project.saga("task", "edit", "2", "--blocked-by", "3");
    expect(project.json(`${LIST}/2.json`)["blockedBy"]).toEqual(["3"]);
    expect(project.json(`${LIST}/1.json`)["blocks"]).toEqual([]);
    expect(project.json(`${LIST}/3.json`)).toMatchObject({ blocks: ["2"], unknown: true });
    await project.saga("task", "edit", "2", "--blocked-by", "");
    expect(project.json(`${LIST}/2.json`)["blockedBy"]).toEqual([]);
    expect(project.json(`${LIST}/3.json`)["blocks"]).toEqual([]);
  });

  it("refuses a circular dependency, an unknown task and a completed one", async () => {
    const { text } = await misusedText(three(), "1", "--blocked-by", "2");
    expect(text).toContain("These tasks would wait for each other:");
    expect((await refused(three(), "task", "edit", "9", "-s", "x")).text).toContain(
      'There is no task "9" on the list.',
    );
    const done = withTasks(aLooseTask("1", { status: "completed" }));
    expect((await refused(done, "task", "edit", "1", "-s", "x")).text).toContain("is completed");
    await misused(three(), "task", "edit", "1");
    await misused(three(), "task", "edit", "1", "--subject", "two\nlines");
  });
});

const misusedText = (project: Project, ...words: string[]) =>
  misused(project, "task", "edit", ...words);

describe("saga task done", () => {
  it("completes a task by hand, and records who did", async () => {
    const project = withTasks(
      aLooseTask("1", { metadata: { saga: { held: { kind: "blocker", why: "?", at: "x" } } } }),
    );
    expect((await project.saga("task", "done", "1")).exitCode).toBe(0);
    const { status, metadata } = project.json(`${LIST}/1.json`);
    expect(status).toBe("completed");
    expect(metadata).toEqual({ saga: { completedBy: expect.any(String) as string } });
  });
});

describe("saga task rm", () => {
  it("removes a task whose number is never used again, and keeps a copy", async () => {
    const project = three();
    const { exitCode, json } = await project.saga("task", "rm", "3", "--yes", "--json");
    expect(exitCode).toBe(0);
    expect(isThere(project, "3")).toBe(false);
    const { copy } = json() as { copy: string };
    expect(project.json(copy.slice(project.path.length + 1))).toMatchObject({ unknown: true });
    await project.saga("task", "add", "Next");
    expect(isThere(project, "4")).toBe(true);
  });

  it("removes a task that others wait for only with --force, and removes the dependency", async () => {
    const project = three();
    const { text } = await refused(project, "task", "rm", "1", "--yes");
    expect(text).toContain("Other tasks wait for 1: 2.");
    expect((await project.saga("task", "rm", "1", "--yes", "--force")).exitCode).toBe(0);
    expect(project.json(`${LIST}/2.json`)["blockedBy"]).toEqual([]);
  });

  it("asks in a terminal, and needs --yes elsewhere", async () => {
    const project = three();
    await misused(project, "task", "rm", "3");
    expect((await project.sagaAnswered({ answer: "" }, "task", "rm", "3")).exitCode).toBe(1);
    expect(isThere(project, "3")).toBe(true);
    expect((await project.sagaAnswered({ answer: "y" }, "task", "rm", "3")).exitCode).toBe(0);
    expect(isThere(project, "3")).toBe(false);
  });
});

describe("a claimed task", () => {
  it.each([[["edit", "1", "-s", "x"]], [["done", "1"]], [["rm", "1", "--yes", "--force"]]])(
    "is left alone by saga task %j",
    async (words) => {
      const project = three();
      const list = join(project.path, LIST);
      const claimed = await claimTask(list, newClaimer(list), "1");
      expect(claimed.kind).toBe("claimed");
      const { stderr, exitCode } = await project.saga("task", ...words);
      expect(exitCode).toBe(1);
      expect(stderr).toContain("Task 1 is claimed by auto-1.");
      expect(project.json(`${LIST}/1.json`)).toMatchObject({
        status: "in_progress",
        subject: "Task 1",
      });
    },
  );
});
