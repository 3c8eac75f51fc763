import { execFileSync, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Script } from "../../src/rehearsal/model-server.ts";
import { say } from "../../src/rehearsal/scripted-agent.ts";
import { canMount } from "../support/disk.ts";
import { ONE_TASK, saga } from "../support/finished-stage.ts";
import { expectNothingLeft, follows, newStage, STORY, type Stage } from "../support/stage.ts";
import { expectExit } from "../support/expect-exit.ts";

describe("a reviewer that hangs", () => {
  /** It inspects the work on each request, and never answers. */
  function newReview(): { readonly script: Script; readonly requests: () => number } {
    const obey = follows();
    let requests = 0;
    const script: Script = (turn) => {
      if (!turn.tools.includes("mcp__saga__verdict")) return obey(turn);
      requests++;
      return { kind: "hang" };
    };
    return { script, requests: () => requests };
  }

  it("is killed at its time limit, and the story waits for a person", async () => {
    const { script } = newReview();
    const config = "[gate]\ninspect_minutes = 0.05\n";
    const story = { needsReview: true };
    const stage = await newStage({ tasks: ONE_TASK, story, script, config });
    const ended = await expectExit(1, stage.work("--json"));
    expect(JSON.parse(ended.stdout)).toMatchObject({
      outcome: "failed",
      reason: expect.stringContaining("no verdict in time") as string,
    });
    expect(await stage.statuses()).toEqual({ form: "completed" });
    await expectNothingLeft(stage);
    expect((await saga(stage, "accept", STORY)).exitCode).toBe(0);
  });

  it("and is stopped gives no verdict", async () => {
    const { script, requests } = newReview();
    const stage = await newStage({ tasks: ONE_TASK, story: { needsReview: true }, script });
    const stop = new AbortController();
    const given = { stop: stop.signal, env: stage.env };
    const ending = stage.sagaUntil(given, "run", STORY, "--foreground", "--json");
    await expect.poll(requests).toBe(1);
    stop.abort();
    expect((await ending).json()).toMatchObject({ outcome: "stopped" });
    expect(await stage.events("gate")).toEqual([]);
    expect((await stage.store.readStory(STORY)).story.status).not.toBe("completed");
    await expectNothingLeft(stage);
  });
});

describe("a reviewer that the API refuses", () => {
  const refusing = (status: number, times = Infinity): { readonly script: Script } => {
    const obey = follows();
    let refusals = 0;
    const script: Script = (turn) => {
      if (!turn.tools.includes("mcp__saga__verdict")) return obey(turn);
      if (refusals++ < times) return { kind: "refuse", status, message: "Not now." };
      if (turn.messages.some(({ role }) => role === "assistant")) return say("Bye.");
      const input = { isPassed: true, summary: "Looked at it.", findings: [] };
      return say({ tool: "mcp__saga__verdict", input });
    };
    return { script };
  };
  const story = { needsReview: true };

  it("for a while is retried, and the work is not refused", async () => {
    const config = "[limits]\npause = 0.2\n";
    const stage = await newStage({ tasks: ONE_TASK, story, config, ...refusing(429, 1) });
    await expectExit(0, stage.work());
    expect(await stage.events("limit.reached")).toHaveLength(1);
    expect((await stage.events("gate")).map(({ gate, isPassed }) => [gate, isPassed])).toEqual([
      ["diff", true],
      ["review", true],
    ]);
  });

  it("for longer than the time limit gives no verdict, and the run reaches its limit", async () => {
    const config = "[limits]\npause = 36000\n";
    const stage = await newStage({ tasks: ONE_TASK, story, config, ...refusing(429) });
    const ended = await expectExit(2, stage.work("--json"));
    expect(JSON.parse(ended.stdout)).toMatchObject({
      outcome: "limit",
      reason: expect.stringContaining("The limit ends at") as string,
    });
    expect(await stage.events("gate")).toEqual([]);
    await expectNothingLeft(stage);
  });

  it("without a login is reported as such", async () => {
    const stage = await newStage({ tasks: ONE_TASK, story, ...refusing(403) });
    const ended = await expectExit(1, stage.work("--json"));
    expect(JSON.parse(ended.stdout)).toMatchObject({
      outcome: "failed",
      reason: expect.stringContaining("Claude Code is not logged in") as string,
    });
  });
});

describe.skipIf(!canMount)("a disk that is full during the gate", () => {
  const FILL = `node -e 'for (;;) fs.appendFileSync(process.env.HOME + "/disk/filler", Buffer.alloc(4096))' 2> /dev/null`;

  /** Its check fills the disk of a file, and passes. What it prints is part of its receipt. */
  async function newFullStage(folder: string): Promise<{ stage: Stage; makeRoom: () => void }> {
    const stage = await newStage({
      tasks: ONE_TASK,
      story: { checks: [`test -e "$HOME/room" || { ${FILL}; }; seq 1 2000`] },
    });
    const disk = join(stage.home, "disk");
    mkdirSync(disk);
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=600k", "tmpfs", disk]);
    onTestFinished(() => void execFileSync("umount", ["--lazy", disk]));
    const target = join(stage.path, folder);
    mkdirSync(target, { recursive: true });
    execFileSync("mount", ["--bind", disk, target]);
    onTestFinished(() => void execFileSync("umount", ["--lazy", target]));
    const makeRoom = (): void => {
      rmSync(join(disk, "filler"), { force: true });
      writeFileSync(join(stage.home, "room"), "");
    };
    return { stage, makeRoom };
  }

  it("in the receipts' folder completes nothing, and the next run continues", async () => {
    const { stage, makeRoom } = await newFullStage(".saga/runs");
    const ended = await stage.work();
    const output = `${ended.stdout}${ended.stderr}`;
    expect(ended.exitCode, output).toBe(1);
    expect(output).toContain("the disk is full");
    expect((await stage.store.readStory(STORY)).story.status).not.toBe("completed");
    expect((await saga(stage, "merge", STORY)).exitCode).toBe(1);
    makeRoom();
    await expectExit(0, stage.work());
    expect(stage.commits()).toEqual(["form"]);
    expect((await stage.store.readStory(STORY)).story.status).toBe("completed");
    await expectNothingLeft(stage);
  });

  it.each([".saga/leases", ".saga/worktrees"])("at %s does no harm", async (folder) => {
    const { stage, makeRoom } = await newFullStage(folder);
    await expectExit(0, stage.work());
    expect(stage.commits()).toEqual(["form"]);
    expect((await stage.store.readStory(STORY)).story.status).toBe("completed");
    makeRoom();
    await expectNothingLeft(stage);
  });
});

describe("a worker that is killed in the middle of a conflict", () => {
  it("is followed by one that starts the merge again and keeps what was resolved", async () => {
    let isSlow = true;
    const form = [{ write: "README.md", content: "# A project with a form\n" }];
    const slow = follows({
      form,
      "resolve-conflict": [
        { write: "README.md", content: "# Half resolved\n" },
        { run: "git add README.md; touch half; while :; do sleep 0.1; done" },
      ],
    });
    const quick = follows({
      form,
      "resolve-conflict": [
        { run: "grep -q '<<<<<<<' README.md || exit 1; echo both" },
        { write: "README.md", content: "# A better project with a form\n" },
      ],
    });
    const stage = await newStage({
      tasks: ONE_TASK,
      script: (turn) => (isSlow ? slow : quick)(turn),
    });
    expect((await stage.work()).exitCode).toBe(0);
    stage.write("README.md", "# A better project\n");
    stage.git("commit", "--quiet", "--all", "--message=Make it better");
    stage.git("switch", "--quiet", "--create", "elsewhere");
    expect((await saga(stage, "merge", STORY, "--json")).json()).toMatchObject({
      kind: "conflict",
    });
    let worker: ChildProcess | undefined;
    const killed = stage.runWith(
      { onStart: (child) => (worker = child) },
      "run",
      STORY,
      "--foreground",
    );
    const isHalf = (): boolean => existsSync(join(stage.worktree, "half"));
    await expect.poll(isHalf).toBe(true);
    worker?.kill("SIGKILL");
    expect((await killed).signal).toBe("SIGKILL");
    expect((await stage.store.viewStory(STORY)).state).toBe("killed");

    isSlow = false;
    await expectExit(0, stage.work());
    const saved = stage.git("for-each-ref", "--format=%(refname)", `refs/saga/keep/${STORY}/`);
    const texts = saved.split("\n").map((ref) => stage.git("show", `${ref}:README.md`));
    expect(texts).toContain("# Half resolved");
    await expectExit(0, saga(stage, "merge", STORY, "--json"));
    expect(stage.git("show", "main:README.md")).toBe("# A better project with a form");
    expect(readdirSync(join(stage.home, "claude/tasks"))).toEqual([]);
    await expectNothingLeft(stage);
  });
});
