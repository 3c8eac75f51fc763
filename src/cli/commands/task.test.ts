import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { newProject, type Project } from "../../../test/support/project.ts";
import { isHarmless, misused, refused } from "../../../test/support/refused.ts";
import { claimTask, openClaimer } from "../../claude/task-claims.ts";
import { startTimeOf, thisProcess } from "../../machine/process.ts";

const LIST = ".claude/tasks/chores";
const CONFIG = '[auto]\ntask_list_id = "chores"\n';

const aTask = (id: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  id,
  subject: `Task ${id}`,
  description: "",
  status: "pending",
  blocks: [],
  blockedBy: [],
  ...more,
});

/** Its home is its own folder, so the list of Claude Code is in there. */
function withTasks(...tasks: readonly Record<string, unknown>[]): Project {
  const project = newProject();
  project.write(".saga/config.toml", CONFIG);
  mkdirSync(join(project.path, LIST), { recursive: true });
  for (const task of tasks) project.write(`${LIST}/${String(task["id"])}.json`, task);
  return project;
}

interface Shown {
  readonly id: string;
  readonly state: string;
  readonly why?: string;
  readonly owner?: string;
  readonly since?: string;
  readonly waitsFor: readonly string[];
}

async function shown(project: Project, ...words: string[]): Promise<readonly Shown[]> {
  const { json } = await project.saga("task", "list", "--json", ...words);
  return (json() as unknown as { readonly tasks: readonly Shown[] }).tasks;
}

describe("saga task add", () => {
  it("refuses a check that is empty, which would let everything pass", async () => {
    const { message } = await misused(withTasks(), "task", "add", "A", "--check", "  ");
    expect(message).toBe("A check is empty.");
  });

  it("makes a task as Claude Code does, with the next number", async () => {
    const project = withTasks(aTask("7"));
    const { exitCode, stdout } = await project.saga("task", "add", "Add a login");
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: "8 is on the list chores: Add a login\n",
    });
    expect(project.json(`${LIST}/8.json`)).toEqual(aTask("8", { subject: "Add a login" }));
  });

  it("keeps all that it was told, where the pool and Claude Code look for it", async () => {
    const project = withTasks(aTask("1"), aTask("2", { unknown: [1] }));
    const words = ["--description", "A page.", "--priority", "0", "--label", "ui"];
    const more = ["--blocked-by", "1,2", "--check", "npm test", "npm run lint"];
    await project.saga("task", "add", "Add a login", ...words, ...more);
    expect(project.json(`${LIST}/3.json`)).toEqual(
      aTask("3", {
        subject: "Add a login",
        description: "A page.",
        blockedBy: ["1", "2"],
        metadata: { priority: 0, label: "ui", checks: ["npm test", "npm run lint"] },
      }),
    );
    expect(project.json(`${LIST}/1.json`)).toEqual(aTask("1", { blocks: ["3"] }));
    expect(project.json(`${LIST}/2.json`)).toEqual(aTask("2", { blocks: ["3"], unknown: [1] }));
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
    const project = withTasks(aTask("1"));
    for (const id of ["9", "1,9", "../1", "1.json"]) {
      const { code, message } = await refused(project, "task", "add", "A", "--blocked-by", id);
      expect([code, message]).toEqual(["not-found", expect.stringContaining("There is no task")]);
    }
  });

  it("refuses to wait for a file that is no task", async () => {
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

  it("says how to name a list when there is none", async () => {
    const { code, hint } = await refused(newProject(), "task", "add", "A");
    expect([code, hint]).toEqual(["bad-setting", expect.stringContaining("auto.task_list_id")]);
  });
});

describe("saga task list", () => {
  it("says which files are tasks to nobody, once", async () => {
    const project = withTasks(aTask("1"));
    project.write(`${LIST}/With.Dot.json`, aTask("With.Dot"));
    project.write(`${LIST}/.hidden.json`, "");
    const { stdout } = await project.saga("task", "list");
    expect(stdout.split("\n").filter((line) => line.includes("With.Dot"))).toEqual([
      "Claude Code does not see With.Dot.json, nor does the pool: the name of a task has only letters, digits, - and _.",
    ]);
    const { json } = await project.saga("task", "list", "--json");
    expect(json()).toMatchObject({ unseen: ["With.Dot.json"] });
  });

  it("cuts a subject that is a whole page, which `saga task show` shows", async () => {
    const subject = "ä".repeat(5_000);
    const project = withTasks(aTask("1", { subject }));
    const { stdout } = await project.saga("task", "list");
    expect(stdout).toBe(`○ 1 ${"ä".repeat(119)}… ready\n`);
    expect((await project.saga("task", "show", "1")).stdout).toContain(subject);
  });

  it("does not wait for a pipe that has the name of a task", async () => {
    const project = withTasks(aTask("1"));
    execFileSync("mkfifo", [join(project.path, LIST, "77.json")]);
    expect((await shown(project)).map(({ id, state }) => `${id} ${state}`)).toEqual([
      "1 ready",
      "77 broken",
    ]);
  });

  it("shows each task with its state, in the order in which they are taken", async () => {
    const project = withTasks(
      aTask("1", { status: "completed" }),
      aTask("2", { blockedBy: ["1"] }),
      aTask("3", { blockedBy: ["2"] }),
      aTask("4", { metadata: { priority: 0, label: "ui" } }),
      aTask("5", { metadata: { saga: { held: { kind: "blocker", why: "Which one?", at: "" } } } }),
      aTask("6", { blockedBy: ["77"] }),
      aTask("10", { status: "in_progress", owner: "someone" }),
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
    expect(stdout).toMatch(/^◐ 10 Task 10 someone, for \d+ s$/m);
    expect(stdout).toContain("○ 4  Task 4 ready, priority 0, ui\n");
    expect(stdout).toContain("◌ 3  Task 3 waits for 2\n");
    expect(stdout).toContain("■ 5  Task 5 needs you: Which one?\n");
    expect(stdout).toContain("2 problems; the pool begins nothing until then:\n");
    expect(stdout).toContain("  Task 6 waits for 77, a task that is not there.\n");
  });

  it("shows only those of one state", async () => {
    const project = withTasks(aTask("1"), aTask("2", { blockedBy: ["1"] }));
    expect((await shown(project, "--state", "waiting")).map(({ id }) => id)).toEqual(["2"]);
    await misused(project, "task", "list", "--state", "sleeping");
  });

  it("is empty where there is no list yet", async () => {
    const project = newProject();
    const { stdout } = await project.saga("task", "list", "--list", "none");
    expect(stdout).toBe("There are no tasks.\n");
  });

  it("shows nothing that could act on a terminal", async () => {
    const odd = "\u001b[31mred\u0007\r\n\u202e";
    const held = { kind: "blocker", why: odd, at: "" };
    const project = withTasks(
      aTask("1", { subject: odd, owner: odd, status: "in_progress", description: odd }),
      aTask("2", { metadata: { saga: { held, lastFailure: odd } } }),
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
      aTask("1", {
        description: "A page.",
        blocks: ["2"],
        metadata: { checks: ["npm test"], saga },
      }),
      aTask("2", { blockedBy: ["1"] }),
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

describe("saga task release", () => {
  const held = { kind: "blocker", why: "Which form?", at: "2026-11-15T12:00:00Z" };

  it("answers the question, and puts the task back on the list", async () => {
    const before = [{ question: "Old?", answer: "Yes." }];
    const saga = { held, attempts: 1, answers: before, lastFailure: "x", other: 1 };
    const project = withTasks(aTask("1", { extra: true, metadata: { priority: 1, saga } }));
    const { exitCode } = await project.saga("task", "release", "1", "--answer", "The new one.");
    expect(exitCode).toBe(0);
    expect(project.json(`${LIST}/1.json`)).toEqual(
      aTask("1", {
        extra: true,
        metadata: {
          priority: 1,
          saga: {
            lastFailure: "x",
            other: 1,
            answers: [...before, { question: "Which form?", answer: "The new one." }],
          },
        },
      }),
    );
    expect((await shown(project))[0]?.state).toBe("ready");
  });

  it("lets one begin anew that has failed too often", async () => {
    const parked = { kind: "parked", why: "It has failed 3 times.", at: "" };
    const project = withTasks(aTask("1", { metadata: { saga: { held: parked, attempts: 3 } } }));
    await project.saga("task", "release", "1");
    expect(project.json(`${LIST}/1.json`)).toEqual(aTask("1"));
  });

  it("does nothing to one that is free, and says so", async () => {
    const project = withTasks(aTask("1"));
    const { exitCode, stdout } = await project.saga("task", "release", "1");
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "1 was free already.\n" });
  });

  it("refuses what cannot be", async () => {
    const project = withTasks(aTask("1", { status: "completed" }), aTask("2"));
    project.write(`${LIST}/3.json`, "{");
    const code = async (...words: string[]): Promise<string> =>
      (await refused(project, "task", "release", ...words)).code;
    expect(await code("1")).toBe("not-ready");
    expect(await code("2", "--answer", "To what?")).toBe("not-ready");
    expect(await code("3")).toBe("bad-file");
    expect(await code("4")).toBe("not-found");
    expect(await code("../4")).toBe("not-found");
    await misused(project, "task", "release", "2", "--answer", " ");
  });

  it("refuses one that is being worked on, names who does, and takes it when forced", async () => {
    const project = withTasks(aTask("1"));
    const list = join(project.path, LIST);
    const claimer = openClaimer(list, { owner: "auto-1", instance: "0000abcd", ttlMs: 60_000 });
    onTestFinished(() => claimer.close());
    const claimed = await claimTask(list, claimer, "1");
    expect((await shown(project))[0]).toMatchObject({ state: "working", owner: "auto-1" });
    const { code, message } = await refused(project, "task", "release", "1");
    expect([code, message]).toEqual(["in-use", "auto-1 is at work on the task 1."]);

    expect((await project.saga("task", "release", "1", "--force")).exitCode).toBe(0);
    expect(project.json(`${LIST}/1.json`)).toEqual(aTask("1"));
    const claim = claimed.kind === "claimed" ? claimed.claim : undefined;
    expect(claim?.isMine()).toBe(false);
    expect(await claim?.complete()).toBe("lost");
  });

  it("refuses one that someone outside the pool works on, and takes it when forced", async () => {
    const project = withTasks(aTask("1", { status: "in_progress", owner: "a person" }));
    expect((await refused(project, "task", "release", "1")).message).toContain("a person");
    await project.saga("task", "release", "1", "--force");
    expect(project.json(`${LIST}/1.json`)).toEqual(aTask("1"));
  });

  it("takes one back whose claim went with the power", async () => {
    const project = withTasks(aTask("1", { status: "in_progress", owner: "auto-2" }));
    expect((await shown(project))[0]?.state).toBe("abandoned");
    expect((await project.saga("task", "release", "1")).exitCode).toBe(0);
    expect(project.json(`${LIST}/1.json`)).toEqual(aTask("1"));
  });

  it("takes one back whose worker has died", async () => {
    const project = withTasks(aTask("1"));
    await claimedByTheDead(project);
    expect((await shown(project))[0]).toMatchObject({ state: "abandoned", owner: "auto-2" });
    const { stdout } = await project.saga("task", "release", "1");
    expect(stdout).toBe("1 is taken back from auto-2, and can be taken again.\n");
    expect(project.json(`${LIST}/1.json`)).toEqual(aTask("1"));
    expect((await shown(project))[0]?.state).toBe("ready");
  });
});

describe("a task whose worker died after it had merged it", () => {
  it("is completed by its release, and not done once more", async () => {
    const project = withTasks(aTask("1"));
    const git = (...args: string[]): string =>
      execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@example.com", ...args], {
        cwd: project.path,
        encoding: "utf8",
      }).trim();
    git("init", "--quiet", "--initial-branch=main");
    git("commit", "--quiet", "--allow-empty", "--message=Do 1\n\nSaga-Run: run-7");
    await claimedByTheDead(project, { metadata: { saga: { run: "run-7" } } });
    const { json } = await project.saga("task", "release", "1", "--json");
    expect(json()).toEqual({
      list: "chores",
      id: "1",
      kind: "completed",
      commit: git("rev-parse", "main"),
    });
    expect(project.json(`${LIST}/1.json`)).toMatchObject({ status: "completed" });
    expect(project.json(`${LIST}/1.json`)).not.toHaveProperty("owner");
  });
});

/** A claim as `openClaimer` makes it, of a process that is gone. */
async function claimedByTheDead(
  project: Project,
  more: Record<string, unknown> = {},
): Promise<void> {
  const child = spawn(process.execPath, ["-e", "setInterval(() => 0, 1000)"]);
  await once(child, "spawn");
  const pid = child.pid ?? 0;
  const card = {
    ...thisProcess(),
    pid,
    startTime: startTimeOf(pid) ?? "",
    owner: "auto-2",
    instance: "0000dead",
    ttlMs: 60_000,
    nonce: "n",
  };
  child.kill("SIGKILL");
  await once(child, "exit");
  mkdirSync(join(project.path, LIST, ".claims/cards"), { recursive: true });
  writeFileSync(join(project.path, LIST, ".claims/1.1"), JSON.stringify(card));
  project.write(`${LIST}/1.json`, aTask("1", { status: "in_progress", owner: "auto-2", ...more }));
}

describe("completion", () => {
  it("offers the tasks of the list", async () => {
    const project = withTasks(aTask("1"), aTask("12"), aTask("2"));
    const offered = async (...words: string[]): Promise<string[]> =>
      (await project.saga("complete", "--", ...words)).stdout
        .split("\n")
        .flatMap((line) => (line === "" ? [] : [line.split("\t")[0] ?? ""]));
    expect(await offered("task", "")).toEqual(["add", "list", "show", "release"]);
    expect((await offered("task", "show", "1")).toSorted()).toEqual(["1", "12"]);
    expect((await offered("task", "release", "")).toSorted()).toEqual(["1", "12", "2"]);
    expect((await offered("task", "add", "A", "--blocked-by", "2")).toSorted()).toEqual(["2"]);
    expect(await offered("task", "list", "--state", "need")).toEqual(["needs-you"]);
  });
});
