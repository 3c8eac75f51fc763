// The idle time of a pool worker: from one accepted task to the next agent's first request.

import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startModel, type Script, type Turn } from "../src/rehearsal/model-server.ts";
import { conversation, say } from "../src/rehearsal/scripted-agent.ts";
import { rehearsalEnv } from "../src/rehearsal/stage-home.ts";
import { openStore } from "../src/store/file-store.ts";
import { boundFigure, median, type Figure } from "./table.ts";

const TASKS = 8;
const MOST_MS = 2_000;
const WORKER = "auto-1";

export async function poolFigures(saga: string, folder: string): Promise<Figure[]> {
  const home = join(folder, "pool");
  const project = join(home, "project");
  const list = join(home, "claude", "tasks", "bench");
  for (const path of [join(project, ".saga"), join(home, "tmux"), list]) {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  }
  const requestedAtMs = new Map<string, number>();
  const model = await startModel(writing(requestedAtMs));
  const env = environmentIn(home, model.url());
  writeFileSync(
    join(project, ".saga/config.toml"),
    '[auto]\ntask_list_id = "bench"\n[delivery]\nupdate_checkout = true\n',
  );
  const git = (...args: string[]): Buffer =>
    execFileSync("git", ["-c", "user.name=B", "-c", "user.email=b@example.com", ...args], {
      cwd: project,
      env,
    });
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("commit", "--quiet", "--message=First");
  for (let id = 1; id <= TASKS; id++) writeFileSync(join(list, `${id}.json`), taskText(id));
  const words = [saga, "auto", "--once", "--workers=1", `-C${project}`];
  const daemon = spawn(process.execPath, words, { env, stdio: "ignore" });
  const exitCode = await new Promise((resolve) => daemon.once("exit", resolve));
  await model.close();
  if (exitCode !== 0) throw new Error(`The pool ended with ${String(exitCode)}.`);
  const runs = (await openStore(project).listRuns(WORKER)).toReversed();
  const deadMs = runs.slice(1).map(({ task = "" }, at) => {
    const acceptedAtMs = Date.parse(runs[at]?.endedAt ?? "");
    return (requestedAtMs.get(task) ?? Number.NaN) - acceptedAtMs;
  });
  const name = "the pool, from a task accepted to the next agent's first question";
  return [boundFigure(name, median(deadMs), MOST_MS)];
}

/** Writes one file and finishes. */
const writing =
  (requestedAtMs: Map<string, number>): Script =>
  (turn) => {
    const taskId = taskOf(turn);
    if (!requestedAtMs.has(taskId)) requestedAtMs.set(taskId, Date.now());
    const { calls } = conversation(turn);
    if (calls.length === 0) {
      return say({ tool: "Write", input: { file_path: `${taskId}.md`, content: "Done.\n" } });
    }
    const finish = { outcome: "done", summary: "Done." };
    return say(calls.length === 1 ? { tool: "mcp__saga__finish", input: finish } : "Goodbye.");
  };

function taskOf({ messages }: Turn): string {
  for (const content of messages.flatMap((message) => message.content)) {
    if (content.type !== "text") continue;
    const id = /You are working on task (?<id>\S+) of/.exec(content.text)?.groups?.["id"];
    if (id !== undefined) return id;
  }
  return "";
}

function environmentIn(home: string, modelUrl: string): Record<string, string> {
  const given = rehearsalEnv(
    { PATH: process.env["PATH"], HOME: home, GIT_CONFIG_GLOBAL: "/dev/null" },
    { folder: home, modelUrl },
  );
  return {
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    TMUX_TMPDIR: join(home, "tmux"),
    SAGA_SESSION_DIR: join(home, "sessions"),
  };
}

const taskText = (id: number): string =>
  JSON.stringify({
    id: String(id),
    subject: `Task ${id}`,
    description: "A step.",
    status: "pending",
    blocks: [],
    blockedBy: [],
  });
