import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Project } from "../../../../test/support/project.ts";
import { misused, refused } from "../../../../test/support/refused.ts";
import { LIST, aLooseTask, withTasks, shown } from "../../../../test/support/task-commands.ts";
import { claimTask } from "../../../tasks/claims/claim.ts";
import { openClaimer } from "../../../store/claims/claimer.ts";
import { openGit } from "../../../machine/programs/git.ts";
import { startTimeOf, thisProcess } from "../../../machine/processes/process-id.ts";
import { codeTree } from "../../../repo/code-tree.ts";
import { openStore } from "../../../store/file-store.ts";
import { withSeals } from "../../../store/runs/receipts.ts";

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
  project.write(
    `${LIST}/1.json`,
    aLooseTask("1", { status: "in_progress", owner: "auto-2", ...more }),
  );
}

describe("saga task release", () => {
  const held = { kind: "blocker", why: "Which form?", at: "2026-11-15T12:00:00Z" };

  it("answers the question, and puts the task back on the list", async () => {
    const before = [{ question: "Old?", answer: "Yes." }];
    const saga = { held, attempts: 1, answers: before, lastFailure: "x", other: 1 };
    const project = withTasks(aLooseTask("1", { extra: true, metadata: { priority: 1, saga } }));
    const { exitCode } = await project.saga("task", "release", "1", "--answer", "The new one.");
    expect(exitCode).toBe(0);
    expect(project.json(`${LIST}/1.json`)).toEqual(
      aLooseTask("1", {
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

  it("resets a task that failed too often", async () => {
    const parked = { kind: "parked", why: "It has failed 3 times.", at: "" };
    const project = withTasks(
      aLooseTask("1", { metadata: { saga: { held: parked, attempts: 3 } } }),
    );
    await project.saga("task", "release", "1");
    expect(project.json(`${LIST}/1.json`)).toEqual(aLooseTask("1"));
  });

  it("does nothing to one that is free, and says so", async () => {
    const project = withTasks(aLooseTask("1"));
    const { exitCode, stdout } = await project.saga("task", "release", "1");
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: "Nothing to release: task 1 is neither on hold nor claimed.\n",
    });
  });

  it("refuses what cannot be", async () => {
    const project = withTasks(aLooseTask("1", { status: "completed" }), aLooseTask("2"));
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
    const project = withTasks(aLooseTask("1"));
    const list = join(project.path, LIST);
    const claimer = openClaimer(list, { owner: "auto-1", instance: "0000abcd", ttlMs: 60_000 });
    onTestFinished(() => claimer.close());
    const claimed = await claimTask(list, claimer, "1");
    expect((await shown(project))[0]).toMatchObject({ state: "working", owner: "auto-1" });
    const { code, message } = await refused(project, "task", "release", "1");
    expect([code, message]).toEqual(["in-use", "Task 1 is in progress (auto-1)."]);

    expect((await project.saga("task", "release", "1", "--force")).exitCode).toBe(0);
    expect(project.json(`${LIST}/1.json`)).toEqual(aLooseTask("1"));
    const claim = claimed.kind === "claimed" ? claimed.claim : undefined;
    expect(await claim?.isMine()).toBe(false);
    expect(await claim?.complete()).toBe("lost");
  });

  it("refuses one that a process outside the pool works on, and takes it with --force", async () => {
    const project = withTasks(aLooseTask("1", { status: "in_progress", owner: "a person" }));
    expect((await refused(project, "task", "release", "1")).message).toContain("a person");
    await project.saga("task", "release", "1", "--force");
    expect(project.json(`${LIST}/1.json`)).toEqual(aLooseTask("1"));
  });

  it("takes one back whose claim was lost in a power cut", async () => {
    const project = withTasks(aLooseTask("1", { status: "in_progress", owner: "auto-2" }));
    expect((await shown(project))[0]?.state).toBe("abandoned");
    expect((await project.saga("task", "release", "1")).exitCode).toBe(0);
    expect(project.json(`${LIST}/1.json`)).toEqual(aLooseTask("1"));
  });

  it("takes one back whose worker has died", async () => {
    const project = withTasks(aLooseTask("1"));
    await claimedByTheDead(project);
    expect((await shown(project))[0]).toMatchObject({ state: "abandoned", owner: "auto-2" });
    const { stdout } = await project.saga("task", "release", "1");
    expect(stdout).toBe("Released task 1 from auto-2.\n");
    expect(project.json(`${LIST}/1.json`)).toEqual(aLooseTask("1"));
    expect((await shown(project))[0]?.state).toBe("ready");
  });
});

describe("a task whose worker died after it had merged it", () => {
  it("is completed by its release, and not done once more", async () => {
    const project = withTasks(aLooseTask("1"));
    const git = (...args: string[]): string =>
      execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@example.com", ...args], {
        cwd: project.path,
        encoding: "utf8",
      }).trim();
    git("init", "--quiet", "--initial-branch=main");
    const env = { PATH: process.env["PATH"], HOME: project.path };
    const log = withSeals(await openStore(project.path).startRun("auto-2"), env);
    const run = log.run.id;
    const message = `Do 1\n\nSaga-Task: chores/1\nSaga-Run: ${run}`;
    git("commit", "--quiet", "--allow-empty", `--message=${message}`);
    const tree = await codeTree(openGit(project.path, env), "main");
    const at = new Date(0).toISOString();
    log.append({ type: "gate", at, gate: "diff", tree, isPassed: true, ms: 1, findings: [] });
    log.close();
    await claimedByTheDead(project, { metadata: { saga: { run } } });
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
