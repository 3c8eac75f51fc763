import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { hookScript, pluginFolder } from "../support/plugin-session.ts";
import { plainEnv, type Ended } from "../support/programs.ts";
import { aStory, aTask, newProject, type Project } from "../support/project.ts";
import { newWorktree } from "../support/worktree.ts";

const SCRIPTS = ["session-start", "scope", "task-sync", "task-gate"] as const;
const HOOK_FAILURE = /^Saga's hook failed: .+\n$/s;

interface Place {
  readonly project: Project;
  readonly worktree: string;
  /** Of the story's files, seen from the project. */
  readonly story: string;
  readonly env: NodeJS.ProcessEnv;
}

function newPlace(): Place {
  const project = newProject();
  const story = newWorktree(project, "login", aStory("login"));
  project.write(`${story}/form.json`, aTask("form"));
  const worktree = join(project.path, ".saga/worktrees/login");
  return {
    project,
    worktree,
    story,
    env: plainEnv(project.path, { CLAUDE_PROJECT_DIR: worktree }),
  };
}

/** What a session sends, for whichever of the scripts. */
const call = ({ worktree }: Place, more: Record<string, unknown> = {}): string =>
  JSON.stringify({
    hook_event_name: "TaskCompleted",
    source: "startup",
    cwd: worktree,
    tool_name: "TaskUpdate",
    tool_input: { taskId: "form", status: "completed" },
    tool_response: { success: true, taskId: "form", statusChange: { to: "completed" } },
    task_id: "form",
    ...more,
  });

/**
 * What may break a session: that it did not end by itself, refused something by its exit code, or printed
 * something that Claude Code does not read.
 */
function harmOf({ exitCode, signal, stdout, stderr }: Ended): string[] {
  const isExpected = exitCode === 0 ? stderr === "" : HOOK_FAILURE.test(stderr);
  return [
    ...(signal === null ? [] : [`it hung: ${signal}`]),
    ...(exitCode === 0 || exitCode === 1 ? [] : [`it ended with ${exitCode}`]),
    ...(stdout === "" || isJson(stdout) ? [] : [`it printed ${stdout}`]),
    ...(isExpected ? [] : [`it complained: ${stderr}`]),
  ];
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
}

const BAD_INPUTS: Readonly<Record<string, string | Buffer>> = {
  nothing: "",
  "no JSON": "{ hello",
  "a list": '[{"tool_name":"Write"}]',
  "a number": "7",
  "bytes of no text": Buffer.from(Array.from({ length: 4096 }, (_, at) => (at * 37) % 256)),
};

const ODD_INPUTS: Readonly<Record<string, Record<string, unknown>>> = {
  "no folder": { cwd: undefined },
  "a folder that is not there": { cwd: "/not/there" },
  "a folder of the wrong kind": { cwd: 7 },
  "no tool": { tool_name: undefined, tool_input: undefined, tool_response: undefined },
  "a tool of the wrong kind": { tool_name: {}, tool_input: "x", tool_response: [], task_id: {} },
  nulls: { tool_name: null, tool_input: null, tool_response: null, task_id: null, cwd: null },
  "an odd task": { task_id: "../../story", tool_input: { taskId: "../../story" } },
};

describe.each(SCRIPTS)("%s", (name) => {
  it.each(Object.entries(BAD_INPUTS))("reports an error for the input %s", async (_, input) => {
    const place = newPlace();
    const ended = await hookScript(name, { cwd: place.worktree, env: place.env, input });
    const isGuard = ["scope", "task-gate"].includes(name);
    expect(ended).toMatchObject({ exitCode: isGuard ? 2 : 1, signal: null, stdout: "" });
    expect(ended.stderr).toMatch(HOOK_FAILURE);
  });

  it("reads input that begins with a byte order mark", async () => {
    const place = newPlace();
    const { worktree: cwd, env } = place;
    const more = {
      tool_name: name === "scope" ? "Write" : "TaskUpdate",
      tool_input: { file_path: join(place.project.path, "x"), taskId: "form" },
    };
    const plain = await hookScript(name, { cwd, env, input: call(place, more) });
    const again = newPlace();
    const marked = await hookScript(name, {
      cwd: again.worktree,
      env: again.env,
      input: `\uFEFF${call(again, more)}`,
    });
    expect(marked).toMatchObject({ exitCode: plain.exitCode, stderr: plain.stderr });
    expect(marked.stdout.includes("may not change")).toBe(name === "scope");
  });

  it("breaks nothing, whatever its input", async () => {
    const place = newPlace();
    const { worktree: cwd, env } = place;
    for (const [what, more] of Object.entries(ODD_INPUTS)) {
      const ended = await hookScript(name, { cwd, env, input: call(place, more) });
      expect(harmOf(ended), what).toEqual([]);
    }
    expect(harmOf(await hookScript(name, { cwd, env, input: "{}" }))).toEqual([]);
  });

  it("accepts ten megabytes", async () => {
    const place = newPlace();
    const more = {
      tool_name: "Write",
      tool_input: { file_path: join(place.project.path, "x"), content: "é".repeat(5_000_000) },
    };
    const { worktree: cwd, env } = place;
    const ended = await hookScript(name, { cwd, env, input: call(place, more) });
    expect(ended).toMatchObject({ exitCode: 0, stderr: "" });
    expect(ended.stdout.includes("Write may not change")).toBe(name === "scope");
  });

  it("does not wait for input in a worker, nor in a project that is not Saga's", async () => {
    const { project, worktree, env } = newPlace();
    const inWorker = { cwd: worktree, env: { ...env, SAGA_RUN_ID: "1" }, isLeftOpen: true };
    const foreign = join(project.path, "..");
    const elsewhere = { cwd: foreign, env: plainEnv(foreign), isLeftOpen: true };
    for (const start of [inWorker, elsewhere]) {
      const ended = await hookScript(name, start);
      expect(ended).toEqual({ exitCode: 0, signal: null, stdout: "", stderr: "" });
    }
  });

  it("prints nothing if its folder is missing", async () => {
    const { project } = newPlace();
    const gone = join(project.path, "../gone");
    mkdirSync(gone);
    const script = join(pluginFolder, "scripts", `${name}.cjs`);
    const words = ["-c", 'rmdir "$PWD" && exec "$0" "$1"', process.execPath, script];
    const env = plainEnv(project.path, { CLAUDE_PROJECT_DIR: gone });
    expect(execFileSync("sh", words, { cwd: gone, env, timeout: 60_000 }).toString()).toBe("");
  });

  it.each([
    ["broken", (path: string) => writeFileSync(path, "{ half")],
    ["a folder", (path: string) => mkdirSync(path)],
    ["a link to something that never ends", (path: string) => linkToFifo(path)],
    ["not there", () => undefined],
  ])("accepts a story whose files are %s", async (_, put) => {
    const place = newPlace();
    for (const file of ["story.json", "form.json", "journal.md"]) {
      const path = join(place.project.path, place.story, file);
      rmSync(path, { force: true });
      put(path);
    }
    const { worktree: cwd, env } = place;
    const ended = await hookScript(name, { cwd, env, input: call(place) });
    expect(harmOf(ended)).toEqual([]);
    expect(ended.stdout.includes("saga validate")).toBe(name === "session-start");
  });

  it.skipIf(process.getuid?.() === 0)("reports missing permissions", async () => {
    const place = newPlace();
    const saga = join(place.project.path, ".saga");
    chmodSync(saga, 0o000);
    onTestFinished(() => chmodSync(saga, 0o755));
    const env = { ...place.env, CLAUDE_PROJECT_DIR: place.project.path };
    const start = { cwd: place.project.path, env, input: call(place) };
    expect(harmOf(await hookScript(name, start))).toEqual([]);
  });
});

it("keeps the input so far when it pauses", async () => {
  const place = newPlace();
  const pipe = join(place.project.path, "pipe");
  execFileSync("mkfifo", [pipe]);
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(pipe, "w");
  const script = join(pluginFolder, "scripts/scope.cjs");
  // Node makes the standard input of its children wait; a shell passes on what it was given.
  const words = ["-c", 'exec "$0" "$1" <&3', process.execPath, script];
  const child = spawn("sh", words, {
    cwd: place.worktree,
    env: place.env,
    stdio: ["ignore", "pipe", "inherit", reader],
  });
  closeSync(reader);
  let output = "";
  child.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const ended = new Promise((resolve) => child.on("close", resolve));
  const input = call(place, { tool_name: "Write", tool_input: { file_path: "../x" } });
  writeSync(writer, input.slice(0, 50));
  // Long enough for it to find the pipe empty: only then is there something to lose.
  await wait(300);
  writeSync(writer, input.slice(50));
  closeSync(writer);
  expect(await ended).toBe(0);
  expect(output).toContain("Write may not change");
});

function linkToFifo(path: string): void {
  execFileSync("mkfifo", [`${path}.pipe`]);
  symlinkSync(`${path}.pipe`, path);
}
