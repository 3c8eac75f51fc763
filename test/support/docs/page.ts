// Follows a page of the documentation: runs its commands in their order, for real, in one project.

import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { blocksOf, commandsOf, notPrinted, type Block, type Command } from "./blocks.ts";
import { docScript, type DocAgents } from "./agents.ts";
import { filesOfSaga } from "./files.ts";
import { builtSaga, root } from "../programs.ts";
import { newFolder } from "../project.ts";
import { newGround, type Ground } from "../stage.ts";
import { inTerminal } from "../terminal.ts";

export interface Scene extends Ground {
  /** A command line, as a person types it; it must succeed. */
  readonly type: (command: string) => Promise<string>;
}

export interface PageOptions {
  /** Only the part from this heading, and up to that one. */
  readonly from?: string;
  readonly until?: string;
  /** What is prepared before a block that asks for it by name. */
  readonly scenes?: Readonly<Record<string, (scene: Scene) => void | Promise<void>>>;
  readonly agents?: DocAgents;
  /** The folder that the page itself creates; without it the page starts in a small project. */
  readonly creates?: string;
}

export interface Followed {
  readonly blocks: number;
  readonly run: number;
  /** Each with its reason. */
  readonly notRun: readonly string[];
  /** What Saga wrote on the way. */
  readonly files: readonly string[];
}

const COMMAND_LIMIT_MS = 120_000;

export async function followPage(file: string, options: PageOptions = {}): Promise<Followed> {
  const blocks = partOf(readFileSync(resolve(root, file), "utf8"), options);
  const scene = await newScene(options);
  let folder = options.creates === undefined ? scene.path : dirname(scene.path);
  let printed: string | undefined;
  let run = 0;
  const notRun: string[] = [];
  /** Differences in shown output are reported together: there is seldom only one. */
  const failures: string[] = [];

  async function follow(block: Block, { line, text, notes }: Command): Promise<void> {
    const place = `${file}:${line}`;
    const skipped = notes.find((note) => note.kind === "not-run");
    if (skipped) {
      requireScript(place, text);
      notRun.push(`${text}: ${skipped.why}`);
      return;
    }
    const isClone = block.notes.some(({ kind }) => kind === "clone");
    const context = { cwd: isClone ? root : folder, env: scene.env, place };
    const ended = await runAsNoted(text, notes, context, scene);
    printed = `${printed ?? ""}${ended.output}`;
    if (!isClone) folder = ended.folder ?? folder;
    run++;
  }

  async function followBlock(block: Block): Promise<void> {
    for (const note of block.notes) {
      if (note.kind !== "scene") continue;
      const set = options.scenes?.[note.name];
      if (!set) throw new Error(`${file}:${block.line}: there is no scene ${note.name}.`);
      await set(scene);
    }
    const asFile = block.notes.find((note) => note.kind === "file");
    if (asFile) {
      mkdirSync(join(folder, asFile.path, ".."), { recursive: true });
      writeFileSync(join(folder, asFile.path), `${block.text}\n`);
    } else if (block.language === "sh") {
      printed = undefined;
      for (const command of commandsOf(block, isWhole)) await follow(block, command);
    } else if (block.language === "text" && printed !== undefined) {
      const missing = notPrinted(block.text, printed);
      if (missing === undefined) return;
      failures.push(`${file}:${block.line}: this was not printed:\n${missing}\nbut:\n${printed}`);
    } else {
      throw new Error(`${file}:${block.line}: this block is neither run nor explained.`);
    }
  }

  for (const block of blocks) await followBlock(block);
  if (failures.length > 0) throw new Error(failures.join("\n"));
  return { blocks: blocks.length, run, notRun, files: filesOfSaga(scene) };
}

function partOf(text: string, { from, until }: PageOptions): Block[] {
  const lines = text.split("\n");
  const lineOf = (heading: string | undefined, otherwise: number): number => {
    if (heading === undefined) return otherwise;
    if (!lines.includes(heading)) throw new Error(`There is no heading ${heading}.`);
    return lines.indexOf(heading) + 1;
  };
  const [first, last] = [lineOf(from, 0), lineOf(until, Infinity)];
  return blocksOf(text).filter(({ line }) => line > first && line < last);
}

async function newScene({ agents = {}, creates }: PageOptions): Promise<Scene> {
  const ground = await newGround(newFolder(creates ?? "notes"), docScript(agents));
  const bin = join(ground.home, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "saga"), `#!/bin/sh\nexec "${process.execPath}" "${builtSaga}" "$@"\n`);
  chmodSync(join(bin, "saga"), 0o755);
  writeFileSync(
    join(ground.home, ".gitconfig"),
    "[user]\n\tname = Ada\n\temail = ada@example.com\n",
  );
  // The person's own settings of git, in their home.
  const { GIT_CONFIG_GLOBAL: _, ...ownEnv } = ground.env;
  const env = { ...ownEnv, PATH: `${bin}:${ground.env["PATH"]}` };
  if (creates === undefined) fillProject(ground);
  else rmSync(ground.path, { recursive: true });
  const type = async (command: string): Promise<string> =>
    (await runToEnd(command, { cwd: ground.path, env, place: "scene" }, 0)).output;
  return { ...ground, env, type };
}

/** A project as people have it: some code, a test, no Saga yet. */
function fillProject(ground: Ground): void {
  ground.write("package.json", { name: "notes", private: true, scripts: { test: "node --test" } });
  ground.write("src/notes.js", 'exports.notes = ["milk", "bread"];\n');
  ground.write(
    "test/notes.test.js",
    'require("node:test").test("there are notes", () => require("../src/notes.js").notes[0].length);\n',
  );
  ground.git("add", "--all");
  ground.git("commit", "--quiet", "--message=Notes");
}

interface ShellContext {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly place: string;
}

interface Ended {
  readonly output: string;
  /** Where the shell was at its end. */
  readonly folder?: string;
}

async function runAsNoted(
  text: string,
  notes: Command["notes"],
  context: ShellContext,
  { home }: Scene,
): Promise<Ended> {
  for (const note of notes) {
    if (note.kind === "ctrl-c") return runUntil(text, note.at, context);
    if (note.kind === "leaves") return inTerminal(text, note.at, { ...context, home });
  }
  const code = notes.find((note) => note.kind === "exits")?.code ?? 0;
  return runToEnd(text, context, code);
}

/** Also prints the shell's last folder, because a `cd` applies to what follows. */
async function runToEnd(text: string, context: ShellContext, code: number): Promise<Ended> {
  const shell = startShell(`${text}\nstatus=$?\npwd -P >&3\nexit $status`, context);
  const timer = setTimeout(() => shell.end("SIGKILL"), COMMAND_LIMIT_MS);
  const exitCode = await shell.ended;
  clearTimeout(timer);
  if (exitCode !== code)
    throw failureOf(context.place, text, `ended with ${exitCode}`, shell.output());
  return { output: shell.output(), folder: shell.workingFolder().trim() || context.cwd };
}

/** Started, seen to work, and ended as with Ctrl-C. */
async function runUntil(text: string, at: string, context: ShellContext): Promise<Ended> {
  const shell = startShell(`exec ${text}`, context);
  const timer = setTimeout(() => shell.end("SIGKILL"), COMMAND_LIMIT_MS);
  await Promise.race([shell.until(at), shell.ended]);
  const address = /http:\/\/127\.0\.0\.1:\d+\/\S*/.exec(shell.output())?.[0];
  if (address !== undefined) {
    const { ok } = await fetch(address);
    if (!ok) throw failureOf(context.place, text, `does not answer at ${address}`, shell.output());
  }
  shell.end("SIGINT");
  const exitCode = await shell.ended;
  clearTimeout(timer);
  if (!shell.output().includes(at) || (exitCode !== 0 && exitCode !== 130)) {
    throw failureOf(context.place, text, `ended with ${exitCode}`, shell.output());
  }
  return { output: shell.output() };
}

interface Shell {
  readonly output: () => string;
  readonly workingFolder: () => string;
  readonly ended: Promise<number | null>;
  readonly until: (text: string) => Promise<void>;
  /** Ends the shell and its child processes. */
  readonly end: (signal: NodeJS.Signals) => void;
}

function startShell(script: string, { cwd, env }: ShellContext): Shell {
  const child: ChildProcess = spawn("sh", ["-c", script], {
    cwd,
    env,
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  let output = "";
  let workingFolder = "";
  let wake = (): void => undefined;
  const onData = (chunk: Buffer): void => {
    output += chunk.toString();
    wake();
  };
  child.stdout?.on("data", onData);
  child.stderr?.on("data", onData);
  child.stdio[3]?.on("data", (chunk: Buffer) => (workingFolder += chunk.toString()));
  return {
    output: () => output,
    workingFolder: () => workingFolder,
    // A session that it starts keeps its pipes open, so they may never close: then what it printed is read by now.
    ended: new Promise((resolve) => {
      child.on("close", resolve);
      child.on("exit", (code) => setTimeout(resolve, 100, code));
    }),
    async until(text) {
      while (!output.includes(text)) await new Promise<void>((resolve) => (wake = resolve));
    },
    end(signal) {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, signal);
    },
  };
}

const isWhole = (text: string): boolean => spawnSync("sh", ["-n", "-c", text]).status === 0;

/** A command that cannot run here must at least exist. */
function requireScript(place: string, text: string): void {
  const name = /^npm (?:run )?(?<name>[\w:]+)/.exec(text)?.groups?.["name"] ?? "";
  if (!text.startsWith("npm run ") && name !== "test") return;
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  if (!(name in scripts)) throw new Error(`${place}: there is no script ${name}.`);
}

const failureOf = (place: string, text: string, what: string, output: string): Error =>
  new Error(`${place}: \`${text}\` ${what}:\n${output}`);
