import type { ChildProcess } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startTimeOf } from "../../src/machine/processes/process-id.ts";
import { parents } from "../../src/machine/processes/process-tree.ts";
import { aTask, type CommandOutput } from "../support/project.ts";
import { expectNothingLeft, newStage, STORY, type Stage } from "../support/stage.ts";

/** Passes at once when there is a file `quick`, and else not before it is ended; its child leaves its session. */
const slowCheck = ({ quick, pid }: { quick: string; pid: string }): string =>
  `test -e ${quick} || { setsid sh -c 'echo $$ > ${pid}; exec sleep 1000' & wait; }`;

interface SlowStage extends Stage {
  /** From now on the check ends by itself. */
  readonly hurry: () => void;
  readonly delay: () => void;
  /** The child of the check; 0 when there is none yet. */
  readonly pid: () => number;
  /** Before the next check. */
  readonly forget: () => void;
  /** Stops the command as soon as its check is at work. */
  readonly stoppedAtCheck: (...words: string[]) => Promise<CommandOutput>;
}

async function newSlowStage(of: "story" | "task"): Promise<SlowStage> {
  const stage = await newStage({
    // Otherwise a merge would not run the check again on the same tree.
    config: "[gate]\nreuse_receipts = false\n",
    story: of === "story" ? { checks: ["true", 'sh "$HOME/check"'] } : {},
    tasks: [aTask("form", { checks: of === "task" ? ['sh "$HOME/check"'] : [] })],
  });
  const at = { quick: join(stage.home, "quick"), pid: join(stage.home, "pid") };
  stage.write("../home/check", `${slowCheck(at)}\n`);
  const pid = (): number => (existsSync(at.pid) ? Number(readFileSync(at.pid, "utf8")) : 0);
  return {
    ...stage,
    pid,
    hurry: () => void stage.write("../home/quick", ""),
    delay: () => rmSync(at.quick),
    forget: () => rmSync(at.pid, { force: true }),
    async stoppedAtCheck(...words) {
      rmSync(at.pid, { force: true });
      const stop = new AbortController();
      const ending = stage.sagaUntil({ stop: stop.signal, env: stage.env }, ...words);
      await expect.poll(pid).toBeGreaterThan(0);
      stop.abort();
      const ended = await ending;
      expect(startTimeOf(pid())).toBeUndefined();
      return ended;
    },
  };
}

const gates = async (stage: Stage): Promise<unknown[]> =>
  (await stage.events("gate")).map(({ command }) => command);

describe("a worker that is stopped", () => {
  it("during its gate has no receipt and no new task", async () => {
    const stage = await newSlowStage("story");
    const ended = await stage.stoppedAtCheck("run", STORY, "--foreground", "--json");
    expect(ended.exitCode).toBe(1);
    expect(ended.json()).toMatchObject({ outcome: "stopped" });
    expect(await gates(stage)).toEqual([]);
    expect(await stage.statuses()).toEqual({ form: "completed" });
    expect((await stage.store.readStory(STORY)).story.status).not.toBe("completed");
    await expectNothingLeft(stage);

    stage.hurry();
    expect((await stage.work()).exitCode).toBe(0);
    expect(await gates(stage)).toEqual([undefined, "true", 'sh "$HOME/check"']);
    expect(await stage.statuses()).toEqual({ form: "completed" });
  });

  it("during a task's check has not completed the task", async () => {
    const stage = await newSlowStage("task");
    const ended = await stage.stoppedAtCheck("run", STORY, "--foreground", "--json");
    expect(ended.json()).toMatchObject({ outcome: "stopped" });
    expect(await stage.statuses()).toEqual({ form: "pending" });
    expect(await gates(stage)).toEqual([]);
    expect(stage.commits()).toEqual([]);
    await expectNothingLeft(stage);

    stage.hurry();
    expect((await stage.work()).exitCode).toBe(0);
    expect(stage.commits()).toEqual(["form"]);
  });
});

/** Whether the parent that ends a check with its command is killed as well. */
type Kill = "the command" | "its supervisor too";

/** Kills a command as soon as it has started that process, and waits for the end of the command alone. */
async function killedAt(
  stage: Stage,
  { kill, pid }: { readonly kill: Kill; readonly pid: () => number },
  ...words: string[]
): Promise<number> {
  let command: ChildProcess | undefined;
  const onStart = (child: ChildProcess): void => void (command = child);
  const killed = stage.runWith({ onStart }, ...words);
  await expect.poll(pid).toBeGreaterThan(0);
  const started = pid();
  // Stopped, it does not see its supervisor end.
  command?.kill("SIGSTOP");
  if (kill === "its supervisor too") process.kill(supervisorOf(started, command?.pid), "SIGKILL");
  command?.kill("SIGKILL");
  expect((await killed).signal).toBe("SIGKILL");
  return started;
}

/** The lines right below the command, above the process. */
function supervisorOf(pid: number, command: number | undefined): number {
  const parentOf = new Map(parents().map((one) => [one.pid, one.parent]));
  let at = pid;
  for (let above = parentOf.get(at); above !== command; above = parentOf.get(at)) {
    if (above === undefined) throw new Error(`${pid} is not below ${command}.`);
    at = above;
  }
  return at;
}

const isAlive = (pid: number): boolean => startTimeOf(pid) !== undefined;
const ended = async (pid: number): Promise<void> => {
  await expect.poll(() => isAlive(pid)).toBe(false);
};

describe.runIf(process.platform === "linux")("a check whose worker was killed", () => {
  it("ends with it, and a detached one is ended by the next worker", async () => {
    const stage = await newSlowStage("story");
    const run = ["run", STORY, "--foreground"];
    await ended(await killedAt(stage, { kill: "the command", pid: stage.pid }, ...run));
    stage.forget();
    const left = await killedAt(stage, { kill: "its supervisor too", pid: stage.pid }, ...run);
    expect(isAlive(left)).toBe(true);
    stage.hurry();
    expect((await stage.work()).exitCode).toBe(0);
    expect(isAlive(left)).toBe(false);
    await expectNothingLeft(stage);
  });
});

describe.runIf(process.platform === "linux")("a check whose command was killed", () => {
  it.each(["verify", "accept", "merge"])(
    "ends with `saga %s`, and a detached one is ended by the next command that may run it",
    async (command) => {
      const stage = await newSlowStage("story");
      stage.hurry();
      expect((await stage.work()).exitCode).toBe(0);
      stage.git("switch", "--quiet", "--create", "elsewhere");
      // Other code than what was proven: then an acceptance runs the checks.
      if (command === "accept") {
        stage.write(`.saga/worktrees/${STORY}/more.txt`, "more\n");
        stage.git("-C", stage.worktree, "add", "more.txt");
        stage.git("-C", stage.worktree, "commit", "--quiet", "--message=More");
      }
      stage.delay();
      await ended(await killedAt(stage, { kill: "the command", pid: stage.pid }, command, STORY));
      stage.forget();
      const how = { kill: "its supervisor too", pid: stage.pid } as const;
      const left = await killedAt(stage, how, command, STORY);
      expect(isAlive(left)).toBe(true);
      const next = await stage.sagaWithEnv(stage.env, "verify", STORY, "--no-run");
      expect(next.stderr).not.toMatch(/already running|being worked on/);
      // A merge runs it for its target's queue, and the next merge into that target ends it.
      expect(isAlive(left)).toBe(command === "merge");
      stage.hurry();
      const merged = await stage.sagaWithEnv(stage.env, "accept", STORY, "--merge");
      expect(merged.stdout, merged.stderr).toContain(": merged into main");
      expect(isAlive(left)).toBe(false);
      await expectNothingLeft(stage);
    },
  );
});

describe.runIf(process.platform === "linux")("a set-up command whose worker was killed", () => {
  it("ends with it, and a detached one is ended by the next, with all its processes", async () => {
    const setup = `setsid sh -c 'echo $$ > "$HOME/pid"; exec sleep 1000' & test -e "$HOME/quick" || wait`;
    const stage = await newStage({ config: `[worktree]\nsetup = ${JSON.stringify(setup)}\n` });
    const file = join(stage.home, "pid");
    const pid = (): number => (existsSync(file) ? Number(readFileSync(file, "utf8")) : 0);
    const run = ["run", STORY, "--foreground"];
    await ended(await killedAt(stage, { kill: "the command", pid }, ...run));
    rmSync(file);
    const left = await killedAt(stage, { kill: "its supervisor too", pid }, ...run);
    expect(isAlive(left)).toBe(true);
    stage.write("../home/quick", "");
    expect((await stage.work()).exitCode).toBe(0);
    expect(isAlive(left)).toBe(false);
    expect(isAlive(pid())).toBe(false);
  });
});

describe("a finished story", () => {
  it("is unchanged when its verification, acceptance or merge is stopped during a check", async () => {
    const stage = await newSlowStage("story");
    stage.hurry();
    expect((await stage.work()).exitCode).toBe(0);
    const receipts = await gates(stage);
    const main = stage.git("rev-parse", "main");
    stage.delay();

    const verified = await stage.stoppedAtCheck("verify", STORY);
    expect([verified.exitCode, verified.stderr]).toEqual([1, expect.stringContaining(STOPPED)]);
    expect(verified.stdout).toBe("");
    const merged = await stage.stoppedAtCheck("merge", STORY);
    expect([merged.exitCode, merged.stdout]).toEqual([1, expect.stringContaining(STOPPED)]);

    // The code differs from what passed, so accepting it runs the checks.
    stage.write(`.saga/worktrees/${STORY}/more.txt`, "more\n");
    stage.git("-C", stage.worktree, "add", "more.txt");
    stage.git("-C", stage.worktree, "commit", "--quiet", "--message=More");
    const accepted = await stage.stoppedAtCheck("accept", STORY, "--json");
    expect(accepted.exitCode).toBe(1);
    expect(accepted.json()).toMatchObject({ error: { code: "stopped", message: STOPPED } });

    expect(await gates(stage)).toEqual(receipts);
    expect(stage.git("rev-parse", "main")).toBe(main);
    await expectNothingLeft(stage);
    stage.hurry();
    stage.git("switch", "--quiet", "--create", "elsewhere");
    const at = await stage.sagaWithEnv(stage.env, "accept", STORY, "--merge");
    expect(at.stdout).toContain(": merged into main");
  });
});

const STOPPED = "Stopped; nothing was changed.";
