// The program's only way in and its only way out. It stays small, because it is all that runs for
// `saga --help`; everything else is loaded when a command is named.

import { readFileSync } from "node:fs";
import nodeModule from "node:module";
import { join } from "node:path";
import { EXIT } from "../../story/state/exit-codes.ts";
import { isOneOff } from "../../text/did-you-mean.ts";
import { TOLD_TO_END, type Io } from "./io.ts";
import { commandNamed, COMMANDS, isLook, TOPICS } from "./table.ts";

const INTERRUPTED = 130;

// Newer Node keeps what it has compiled, and starts sooner the next time.
(nodeModule as { enableCompileCache?: () => void }).enableCompileCache?.();

async function main(words: readonly string[], io: Io): Promise<number> {
  const [first, ...rest] = commandFirst(words);
  if (first === undefined || first === "--help" || first === "-h") return say(io, help());
  if (first === "--version" || first === "-V" || first === "-v") return say(io, `${version()}\n`);
  if (first === "help") return main(rest.length === 0 ? [] : [...rest, "--help"], io);
  const command = commandNamed(first);
  if (command === undefined) return unknown(first, rest.includes("--json"), io);
  if (isLook(command)) {
    const { runLook } = await import("./light-commands.ts");
    return runLook(command, rest, io);
  }
  const { runCommand } = await import("./all-commands.ts");
  return runCommand(command, rest, io);
}

/** `saga -C folder list` means `saga list -C folder`, as elsewhere. */
function commandFirst(words: readonly string[]): readonly string[] {
  let begin = 0;
  while (words[begin] === "--json" || words[begin] === "-C") begin += words[begin] === "-C" ? 2 : 1;
  const command = words[begin];
  if (begin === 0) return words;
  if (command === undefined) return ["--help"];
  return [command, ...words.slice(0, begin), ...words.slice(begin + 1)];
}

function help(): string {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length)) + 2;
  return [
    "Saga runs coding agents on real work and loses none of it.",
    "",
    "Usage: saga <command> [options]",
    "",
    ...TOPICS.flatMap(({ title, commands }) => [
      `${title}:`,
      ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}${summary}`),
      "",
    ]),
    "Options:",
    "  -V, --version  print the version",
    "  -h, --help     show this help",
    "",
    "Every command has --help with examples, --json for programs, and -C <folder> to work elsewhere.",
    "",
    "Start with:",
    "  saga init",
    '  saga new story add-login --description "People sign in with mail and password."',
    "  saga run add-login",
    "  saga status",
    "",
  ].join("\n");
}

function unknown(word: string, asJson: boolean, io: Io): number {
  const isOption = word.startsWith("-");
  const message = `There is no ${isOption ? "option" : "command"} ${JSON.stringify(word)}.`;
  const near = isOption
    ? OPTIONS.find((name) => isNear(word, name))
    : COMMANDS.find(({ name }) => isNear(word, name))?.name;
  const hint = `${near ? `Did you mean \`saga ${near}\`? ` : ""}\`saga --help\` lists the commands.`;
  if (asJson) io.writeOut(`${JSON.stringify({ error: { code: "usage", message, hint } })}\n`);
  else io.writeError(`saga: ${message.replaceAll(/[^\u0020-\u007e]/g, "?")}\n${hint}\n`);
  return EXIT.usage;
}

const OPTIONS = ["--version", "--help"] as const;

/** Also the beginning of one, or one with something behind it. */
const isNear = (word: string, name: string): boolean =>
  name.startsWith(word) || word.startsWith(name) || isOneOff(word, name);

function say(io: Io, text: string): number {
  io.writeOut(text);
  return 0;
}

function version(): string {
  const file = join(__dirname, "..", "..", "package.json");
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}

const canColour = !process.env["NO_COLOR"] && process.env["TERM"] !== "dumb";

const processIo = (cwd: string): Io => ({
  cwd,
  env: process.env,
  // Asked for when it matters: Node makes a stream of standard input first, and most commands never look at it.
  get isTerminal() {
    return process.stdin.isTTY && process.stdout.isTTY;
  },
  get columns() {
    return process.stdout.isTTY ? process.stdout.columns : undefined;
  },
  program: [process.execPath, __filename],
  hasColour: canColour && process.stdout.isTTY,
  hasErrorColour: canColour && process.stderr.isTTY,
  writeOut: (text) => void process.stdout.write(text),
  writeError: (text) => void process.stderr.write(text),
  readInput: async () => {
    if (process.stdin.isTTY) return "";
    const chunks: Buffer[] = [];
    for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString("utf8");
  },
  ask,
  untilStopped,
  keepGoing,
});

/** On stderr: what goes to stdout is the product. */
async function ask(question: string): Promise<string> {
  const { createInterface } = await import("node:readline");
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  return new Promise((resolve) => {
    // Ctrl-C and Ctrl-D close it without an answer.
    terminal.once("close", () => resolve(""));
    terminal.question(question, (answer) => {
      resolve(answer);
      terminal.close();
    });
  });
}

let keepsGoing = false;

/** A fault that nobody caught is said, and the work is ended in order. */
function keepGoing(): void {
  keepsGoing = true;
  const onFault = (error: unknown): void => {
    process.stderr.write(`saga: ${error instanceof Error ? error.stack : String(error)}\n`);
    untilStopped();
    stop?.abort(TOLD_TO_END);
  };
  process.on("uncaughtException", onFault);
  process.on("unhandledRejection", onFault);
}

let stop: AbortController | undefined;

function untilStopped(): AbortSignal {
  if (stop) return stop.signal;
  const controller = new AbortController();
  stop = controller;
  let interrupts = 0;
  for (const name of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    process.on(name, () => {
      // Who presses Ctrl-C twice means it; what is left is put in order by the next run. Once, it reaches
      // both a parent and its child, which may have been told to end by that parent before.
      if (name === "SIGINT" && ++interrupts > 1) process.exit(INTERRUPTED);
      if (name === "SIGINT") controller.abort();
      else controller.abort(TOLD_TO_END);
    });
  }
  return controller.signal;
}

// A reader that has seen enough (`saga list | head`) is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (!keepsGoing) process.exit(error.code === "EPIPE" ? 0 : 1);
});

// A diagnosis that nobody reads changes nothing about what is done. Unheard, this error would be a fault
// like any other; to say that on the same stream is the next one, and no signal gets in between.
process.stderr.on("error", () => undefined);

function currentFolder(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

/**
 * Left to itself, Node waits for the threads that compile what was hot a moment ago, a tenth of the time that a long
 * list takes, and nobody will run that any more. Whatever is still open, text that a slow reader has not taken among it,
 * ends in its own time, as before.
 */
function endIfNothingIsOpen(): void {
  if (process.getActiveResourcesInfo().length === 0) process.exit();
}

const POOL_WORKER_GRACE_MS = 5_000;

/** Nobody waits for what a worker of the pool prints at its end, and a handle left open must not keep it alive. */
function endPoolWorkerSoon(): void {
  setTimeout(() => process.exit(), POOL_WORKER_GRACE_MS).unref();
}

const cwd = currentFolder();
if (cwd === undefined) {
  process.stderr.write(
    "saga: The folder you are in does not exist any more.\nChange to another.\n",
  );
  process.exitCode = 1;
} else {
  void main(process.argv.slice(2), processIo(cwd)).then((exitCode) => {
    process.exitCode = exitCode;
    if (process.argv[2] === "auto-worker") endPoolWorkerSoon();
    endIfNothingIsOpen();
  });
}
