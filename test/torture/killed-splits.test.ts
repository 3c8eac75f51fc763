import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Script } from "../../src/rehearsal/model-server.ts";
import { findProgram } from "../../src/machine/processes/find-program.ts";
import { isTorture } from "../support/kill-places.ts";
import { HANG, isAt, isPlanning, ORIGINAL, PARTS, proposes, WATCH } from "../support/planner.ts";
import { expectNothingLeft, follows, newStage, STORY, type Stage } from "../support/stage.ts";

/**
 * Where the worker is killed: after the first call of git with such a word, from the moment on that
 * the agent hangs or the plan is asked for; or by the plan itself.
 */
const PLACES = [
  { what: "between the snapshot and the commit of the part", from: "hang", word: "update-ref" },
  { what: "between the commit of the part and the plan", from: "hang", word: "commit" },
  { what: "between the plan and the new tasks", from: "plan", word: "kill" },
  { what: "between the new tasks and their commit", from: "proposal", word: "add" },
  { what: "between their commit and the next run", from: "proposal", word: "commit" },
] as const;

it.each(isTorture ? PLACES : PLACES.slice(3, 4))(
  "a worker killed $what is followed by one with the same result",
  async ({ from, word }) => {
    const planning = proposes(PARTS);
    const writes = follows({ form: [{ write: "begun.txt", content: "half\n" }] });
    const script: Script = async (turn) => {
      if (isPlanning(turn)) {
        if (from === "plan") await killWorker(stage);
        if (from === "proposal") arm(stage, word);
        return planning(turn);
      }
      if (isAt(turn, ORIGINAL, 1)) {
        if (from === "hang") arm(stage, word);
        return HANG;
      }
      return isAt(turn, ORIGINAL) ? writes(turn) : follows()(turn);
    };
    const stage: Stage = await newStage({ script, config: WATCH });
    const killed = await stage.runWith({ env: { PATH: withKillingGit(stage) } }, "worker", STORY);
    expect(killed.signal, killed.stdout).toBe("SIGKILL");

    const again = await stage.run("worker", STORY);
    expect(again.exitCode, `${killed.stdout}\n---\n${again.stdout}`).toBe(0);
    expect(await stage.statuses()).toEqual({
      form: "completed",
      fields: "completed",
      style: "completed",
      page: "completed",
    });
    expect(stage.commits()).toEqual(["form", "fields", "style", "page"]);
    expect(stage.git("show", `story/${STORY}:begun.txt`)).toBe("half");
    const { entries } = await stage.store.readJournal(STORY);
    expect(entries.filter(({ kind }) => kind === "decision")).toHaveLength(1);
    expect(stage.git("-C", stage.worktree, "status", "--porcelain")).toBe("");
    expect((await stage.run("validate")).exitCode).toBe(0);
    await expectNothingLeft(stage);
    expect(stage.processes()).toEqual([]);
  },
);

const armFile = (stage: Stage): string => join(stage.home, "kill-after");

/** Once: the one that follows is not killed any more. */
function arm(stage: Stage, word: string): void {
  const once = join(stage.home, "was-armed");
  if (existsSync(once)) return;
  writeFileSync(once, "");
  writeFileSync(armFile(stage), word);
}

async function killWorker(stage: Stage): Promise<void> {
  const once = join(stage.home, "was-armed");
  if (existsSync(once)) return;
  writeFileSync(once, "");
  const [run] = await stage.store.listRuns(STORY);
  if (run?.worker) process.kill(run.worker.pid, "SIGKILL");
}

/** A git that does its work, and then kills its caller on request. */
function withKillingGit(stage: Stage): string {
  const folder = join(stage.home, "killing");
  const git = findProgram("git", stage.env) ?? "git";
  const file = armFile(stage);
  mkdirSync(folder);
  rmSync(file, { force: true });
  const lines = [
    "#!/bin/sh",
    `if [ -f '${file}' ]; then`,
    `  word=$(cat '${file}')`,
    '  for one in "$@"; do',
    '    if [ "$one" = "$word" ]; then',
    `      rm '${file}'; '${git}' "$@"; kill -9 $PPID; exit 0`,
    "    fi",
    "  done",
    "fi",
    `exec '${git}' "$@"`,
  ];
  writeFileSync(join(folder, "git"), `${lines.join("\n")}\n`, { mode: 0o755 });
  return `${folder}:${stage.env["PATH"] ?? ""}`;
}
