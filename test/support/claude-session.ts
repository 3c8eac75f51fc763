// A person's own session with the real Claude Code and the plugin, on a stage. The model does what the
// skill in its prompt says, command by command, and stops where it says to ask.

import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { findClaude } from "../../src/claude/find.ts";
import type { Reply, Script, Turn } from "../../src/rehearsal/model-server.ts";
import {
  conversation,
  say,
  type Call,
  type AgentStep,
} from "../../src/rehearsal/scripted-agent.ts";
import { builtSaga } from "./programs.ts";
import { pluginFolder, stepsIn } from "./skills.ts";
import { follows, newStage, type Stage, type StageOptions } from "./stage.ts";

/** The person's answer to a skill's question. */
export const YES = "Yes, do that.";

export interface Play {
  /** Values for the words in angle brackets. */
  readonly words?: Readonly<Record<string, string>>;
  /** Only these sections, if a skill says which apply. */
  readonly sections?: RegExp;
  /** What is done in a section after its commands. */
  readonly besides?: Readonly<Record<string, (turn: Turn) => readonly AgentStep[]>>;
}

export interface Session {
  readonly stage: Stage;
  /** The session's folder for temporary files. */
  readonly temporary: string;
  readonly ask: (prompt: string, options?: AskOptions) => Promise<SessionAnswer>;
}

interface AskOptions {
  readonly play?: Play;
  /** Instead of a play. */
  readonly script?: Script;
  readonly cwd?: string;
  /** Continues the last conversation. */
  readonly isNext?: boolean;
  /** What the person allows when Claude Code asks: rules, as in its settings. */
  readonly allowed?: readonly string[];
}

export interface SessionAnswer {
  readonly init: Readonly<Record<string, unknown>>;
  /** The skill as the model was given it. */
  readonly skill: string;
  readonly calls: readonly Call[];
  /** Calls that needed a person's approval and were not made. */
  readonly denied: readonly string[];
  readonly result: string;
}

export async function newSession(options: StageOptions = {}): Promise<Session> {
  let script: Script = () => say("The script has no steps.");
  let last: Turn | undefined;
  const worker = follows(options.steps);
  const stage = await newStage({
    ...options,
    script: (turn) => {
      // A worker's agent has the Task tools; a person's session does not.
      if (turn.tools.includes("TaskUpdate")) return worker(turn);
      last = turn;
      return script(turn);
    },
  });
  const temporary = join(stage.home, "tmp");
  mkdirSync(temporary);
  const env = {
    ...stage.env,
    PATH: [folderWithSaga(stage.home), stage.env["PATH"]].join(delimiter),
    TMPDIR: temporary,
  };
  const claude = findClaude(undefined, env, stage.path)?.path ?? "claude";
  const ask: Session["ask"] = async (prompt, { play = {}, cwd = stage.path, ...more } = {}) => {
    script = more.script ?? plays(play);
    last = undefined;
    const words = ["-p", prompt, "--output-format", "stream-json", "--verbose"];
    if (more.isNext) words.push("--continue");
    if (more.allowed) words.push("--allowedTools", more.allowed.join(","));
    const stdout = await run(claude, [...words, "--plugin-dir", pluginFolder], cwd, env);
    return receivedTexts(stdout, last);
  };
  return { stage, temporary, ask };
}

/** Does each step of the skill; an answer of the model's ends its turn. */
const plays =
  ({ words = {}, sections = /^/, besides = {} }: Play): Script =>
  (turn): Reply => {
    const done = conversation(turn).calls.length;
    const steps = stepsIn(skillIn(turn)).filter(({ heading }) => sections.test(heading));
    const todo: (AgentStep | "ask")[] = [];
    steps.forEach(({ heading, command }, at) => {
      if (command !== undefined) todo.push(bash(fill(command, words)));
      if (steps[at + 1]?.heading === heading) return;
      todo.push(...(besides[heading]?.(turn) ?? []));
      if (heading === "Ask") todo.push("ask");
    });
    const beforeAsking = todo.includes("ask") ? todo.indexOf("ask") : todo.length;
    if (done >= beforeAsking && !hasAnswer(turn)) return say("Shall I?");
    return say(todo.filter((step) => step !== "ask")[done] ?? "That is all.");
  };

const bash = (command: string): AgentStep => ({
  tool: "Bash",
  input: { command, description: "As the skill says" },
});

function fill(command: string, words: Readonly<Record<string, string>>): string {
  return command.replaceAll(/<(?<name>[a-z]+)>/g, (_, name: string) => {
    const word = words[name];
    if (word === undefined) throw new Error(`No value for <${name}>: ${command}`);
    return word;
  });
}

const textsOf = (turn: Turn): string[] =>
  turn.messages
    .filter(({ role }) => role === "user")
    .flatMap(({ content }) => content)
    .flatMap((content) => (content.type === "text" ? [content.text] : []));

const skillIn = (turn: Turn): string =>
  textsOf(turn).findLast((text) => text.startsWith("Base directory for this skill")) ?? "";

const hasAnswer = (turn: Turn): boolean => textsOf(turn).some((text) => text.includes(YES));

function receivedTexts(stdout: string, last: Turn | undefined): SessionAnswer {
  const lines = stdout.split("\n").filter((line) => line.startsWith("{"));
  const messages = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const result = messages.findLast(({ type }) => type === "result");
  const denials = (result?.["permission_denials"] ?? []) as { tool_input: { command?: string } }[];
  return {
    init: messages.find(({ subtype }) => subtype === "init") ?? {},
    skill: last ? skillIn(last) : "",
    calls: last ? conversation(last).calls : [],
    denied: denials.map(({ tool_input: input }) => input.command ?? JSON.stringify(input)),
    result: typeof result?.["result"] === "string" ? result["result"] : stdout,
  };
}

function folderWithSaga(home: string): string {
  const folder = join(home, "bin");
  mkdirSync(folder);
  writeFileSync(
    join(folder, "saga"),
    `#!/bin/sh\nexec "${process.execPath}" "${builtSaga}" "$@"\n`,
  );
  chmodSync(join(folder, "saga"), 0o755);
  return folder;
}

const run = (
  program: string,
  words: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<string> =>
  new Promise((resolve) => {
    // How it ended is in what it printed.
    const child = execFile(program, words, { cwd, env, maxBuffer: 2 ** 26 }, (_, stdout, stderr) =>
      resolve(stdout + stderr),
    );
    child.stdin?.end();
  });
