import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newProject } from "../../../../test/support/project.ts";
import { newRepository } from "../../../../test/support/repository.ts";
import { isHarmless, misused, refused } from "../../../../test/support/refused.ts";
import { LIST, aLooseTask, withTasks, shown } from "../../../../test/support/task-commands.ts";

describe("saga task add", () => {
  it("refuses a check that is empty, which would let everything pass", async () => {
    const { message } = await misused(withTasks(), "task", "add", "A", "--check", "  ");
    expect(message).toBe("A check is empty.");
  });

  it("makes a task as Claude Code does, with the next number", async () => {
    const project = withTasks(aLooseTask("7"));
    const { exitCode, stdout } = await project.saga("task", "add", "Add a login");
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: "Added task 8 to chores: Add a login\n",
    });
    expect(project.json(`${LIST}/8.json`)).toEqual(aLooseTask("8", { subject: "Add a login" }));
  });

  it("writes all fields where the pool and Claude Code read them", async () => {
    const project = withTasks(aLooseTask("1"), aLooseTask("2", { unknown: [1] }));
    const words = ["--description", "A page.", "--priority", "0", "--label", "ui"];
    const more = ["--blocked-by", "1,2", "--check", "npm test", "npm run lint"];
    await project.saga("task", "add", "Add a login", ...words, ...more);
    expect(project.json(`${LIST}/3.json`)).toEqual(
      aLooseTask("3", {
        subject: "Add a login",
        description: "A page.",
        blockedBy: ["1", "2"],
        metadata: { priority: 0, label: "ui", checks: ["npm test", "npm run lint"] },
      }),
    );
    expect(project.json(`${LIST}/1.json`)).toEqual(aLooseTask("1", { blocks: ["3"] }));
    expect(project.json(`${LIST}/2.json`)).toEqual(
      aLooseTask("2", { blocks: ["3"], unknown: [1] }),
    );
    expect(readdirSync(join(project.path, LIST)).filter((name) => name.endsWith(".lock"))).toEqual([
      ".lock",
    ]);
  });

  it("reads a long description from standard input or a file", async () => {
    const project = withTasks();
    project.write("wish.md", "From a file.\n");
    await project.sagaWithInput("Line 1\nLine 2\n", "task", "add", "A", "--description-file", "-");
    await project.saga("task", "add", "B", "--description-file", "wish.md");
    expect(project.json(`${LIST}/1.json`)["description"]).toBe("Line 1\nLine 2");
    expect(project.json(`${LIST}/2.json`)["description"]).toBe("From a file.");
  });

  it("takes another list, which need not be there", async () => {
    const project = newProject();
    await project.saga("task", "add", "A", "--list", "other");
    expect(project.json(".claude/tasks/other/1.json")["subject"]).toBe("A");
  });

  it("refuses to wait for what is not there, and leaves everything as it was", async () => {
    const project = withTasks(aLooseTask("1"));
    for (const id of ["9", "1,9", "../1", "1.json"]) {
      const { code, message } = await refused(project, "task", "add", "A", "--blocked-by", id);
      expect([code, message]).toEqual([
        "not-found",
        expect.stringMatching(/it is not on the list|There is no task/),
      ]);
    }
  });

  it("refuses to wait for a file that is not a task", async () => {
    const project = withTasks();
    project.write(`${LIST}/1.json`, "{");
    const { code } = await refused(project, "task", "add", "A", "--blocked-by", "1");
    expect(code).toBe("bad-file");
  });

  it.each([
    ["no subject", [" "]],
    ["a subject of two lines", ["a\nb"]],
    ["a priority that there is not", ["A", "--priority", "5"]],
    ["a label that the context file cannot name", ["A", "--label", "a b"]],
    ["two descriptions", ["A", "--description", "x", "--description-file", "y"]],
  ])("does not understand %s", async (_, words) => {
    expect((await misused(withTasks(), "task", "add", ...words)).code).toBe("usage");
  });

  it("uses the project's own list when no setting names one", async () => {
    const project = newProject();
    const { json } = await project.saga("task", "add", "A", "--json");
    expect(json()).toMatchObject({ list: "project-tasks", task: { id: "1" } });
    expect(project.read(".claude/tasks/project-tasks/1.json")).toContain('"A"');
  });

  it.each([
    ["add", "A"],
    ["list"],
    ["show", "1"],
    ["release", "1"],
    ["done", "1"],
    ["rm", "1", "--yes"],
  ])("is refused on a list of another repository: %s", async (...words) => {
    const [project, other] = [withTasks(aLooseTask("1")), newRepository()];
    const owner = JSON.stringify({ repository: join(other.path, ".git") });
    project.write(`${LIST}/.saga-owner`, owner);
    const { code, message, hint } = await refused(project, "task", ...words);
    expect([code, message]).toEqual([
      "in-use",
      `The task list chores belongs to another repository: ${other.path}.`,
    ]);
    expect(hint).toContain("saga task adopt");
    const adopted = await project.saga("task", "adopt", "--json");
    expect(adopted.json()).toMatchObject({ list: "chores", before: join(other.path, ".git") });
    expect((await project.saga("task", "list")).exitCode).toBe(0);
  });
});

describe("saga task list", () => {
  it("lists files that Claude Code and the pool ignore, once", async () => {
    const project = withTasks(aLooseTask("1"));
    project.write(`${LIST}/With.Dot.json`, aLooseTask("With.Dot"));
    project.write(`${LIST}/.hidden.json`, "");
    const { stdout } = await project.saga("task", "list");
    expect(stdout.split("\n").filter((line) => line.includes("With.Dot"))).toEqual([
      "Claude Code and the pool ignore With.Dot.json: a task's file name may only have letters, digits, - and _.",
    ]);
    const { json } = await project.saga("task", "list", "--json");
    expect(json()).toMatchObject({ unseen: ["With.Dot.json"] });
  });

  it("cuts a subject that is a whole page, which `saga task show` shows", async () => {
    const subject = "ä".repeat(5_000);
    const project = withTasks(aLooseTask("1", { subject }));
    const { stdout } = await project.saga("task", "list");
    expect(stdout).toBe(`○ 1 ${"ä".repeat(119)}…  ready\n`);
    expect((await project.saga("task", "show", "1")).stdout).toContain(subject);
  });

  it("does not wait for a pipe that has the name of a task", async () => {
    const project = withTasks(aLooseTask("1"));
    execFileSync("mkfifo", [join(project.path, LIST, "77.json")]);
    expect((await shown(project)).map(({ id, state }) => `${id} ${state}`)).toEqual([
      "1 ready",
      "77 broken",
    ]);
  });

  it("shows each task with its state, in the order in which they are taken", async () => {
    const project = withTasks(
      aLooseTask("1", { status: "completed" }),
      aLooseTask("2", { blockedBy: ["1"] }),
      aLooseTask("3", { blockedBy: ["2"] }),
      aLooseTask("4", { metadata: { priority: 0, label: "ui" } }),
      aLooseTask("5", {
        metadata: { saga: { held: { kind: "blocker", why: "Which one?", at: "" } } },
      }),
      aLooseTask("6", { blockedBy: ["77"] }),
      aLooseTask("10", { status: "in_progress", owner: "someone" }),
    );
    project.write(`${LIST}/8.json`, "{");
    expect((await shown(project)).map(({ id, state }) => `${id} ${state}`)).toEqual([
      "10 working",
      "4 ready",
      "2 ready",
      "3 waiting",
      "5 needs-you",
      "6 broken",
      "8 broken",
      "1 completed",
    ]);
    const { stdout } = await project.saga("task", "list");
    expect(stdout).toMatch(/^◐ 10 Task 10 {2}someone, for \d+ s$/m);
    expect(stdout).toContain("○ 4  Task 4  ready, priority 0, ui\n");
    expect(stdout).toContain("◌ 3  Task 3  waits for 2\n");
    expect(stdout).toContain("■ 5  Task 5  needs you: Which one?\n");
    expect(stdout).toContain("2 problems; the pool starts no task until they are fixed:\n");
    expect(stdout).toContain("  Task 6 waits for 77, which does not exist.\n");
  });

  it("shows only those of one state", async () => {
    const project = withTasks(aLooseTask("1"), aLooseTask("2", { blockedBy: ["1"] }));
    expect((await shown(project, "--state", "waiting")).map(({ id }) => id)).toEqual(["2"]);
    await misused(project, "task", "list", "--state", "sleeping");
  });

  it("is empty when there is no list yet", async () => {
    const project = newProject();
    const { stdout } = await project.saga("task", "list", "--list", "none");
    expect(stdout).toBe("There are no tasks.\n");
  });

  it("shows nothing that could act on a terminal", async () => {
    const odd = "\u001b[31mred\u0007\r\n\u202e";
    const held = { kind: "blocker", why: odd, at: "" };
    const project = withTasks(
      aLooseTask("1", { subject: odd, owner: odd, status: "in_progress", description: odd }),
      aLooseTask("2", { metadata: { saga: { held, lastFailure: odd } } }),
    );
    for (const words of [["list"], ["show", "1"], ["show", "2"]]) {
      expect(isHarmless((await project.saga("task", ...words)).stdout)).toBe(true);
    }
  });
});

describe("saga task show", () => {
  it("shows all of it", async () => {
    const saga = {
      attempts: 2,
      lastFailure: "npm test failed",
      answers: [{ question: "Which?", answer: "This." }],
    };
    const project = withTasks(
      aLooseTask("1", {
        description: "A page.",
        blocks: ["2"],
        metadata: { checks: ["npm test"], saga },
      }),
      aLooseTask("2", { blockedBy: ["1"] }),
    );
    const { stdout } = await project.saga("task", "show", "1");
    for (const part of [
      "Task 1",
      "A page.",
      "npm test failed",
      "Which?",
      "This.",
      "failed 2 times",
    ]) {
      expect(stdout).toContain(part);
    }
    const { json } = await project.saga("task", "show", "1", "--json");
    expect(json()).toMatchObject({ list: "chores", id: "1", state: "ready", attempts: 2 });
    expect(json()["task"]).toEqual(project.json(`${LIST}/1.json`));
  });

  it("says what is wrong with one that is broken", async () => {
    const project = withTasks();
    project.write(`${LIST}/1.json`, '{"id":"1"}');
    const { stdout } = await project.saga("task", "show", "1");
    expect(stdout).toContain("`subject` is missing");
  });

  it("refuses one that is not there", async () => {
    expect((await refused(withTasks(), "task", "show", "1")).code).toBe("not-found");
  });
});

describe("completion", () => {
  it("offers the tasks of the list", async () => {
    const project = withTasks(aLooseTask("1"), aLooseTask("12"), aLooseTask("2"));
    const offered = async (...words: string[]): Promise<string[]> =>
      (await project.saga("complete", "--", ...words)).stdout
        .split("\n")
        .flatMap((line) => (line === "" ? [] : [line.split("\t")[0] ?? ""]));
    expect(await offered("task", "")).toEqual([
      "add",
      "list",
      "show",
      "release",
      "edit",
      "done",
      "rm",
      "adopt",
    ]);
    expect((await offered("task", "show", "1")).toSorted()).toEqual(["1", "12"]);
    expect((await offered("task", "release", "")).toSorted()).toEqual(["1", "12", "2"]);
    expect((await offered("task", "add", "A", "--blocked-by", "2")).toSorted()).toEqual(["2"]);
    expect(await offered("task", "list", "--state", "need")).toEqual(["needs-you"]);
  });
});
