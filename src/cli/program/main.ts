// The entry point, and the only place that exits. It stays small because it is all that `saga --help` loads;
// everything else is loaded with its command.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { EXIT } from "../../story/state/exit-codes.ts";
import { isOneOff } from "../../text/did-you-mean.ts";
import { keepCompiledCode } from "./compiled-code.ts";
import { TERMINATED, type Io } from "./io.ts";
import { commandNamed, COMMANDS, isLightCommand, TOPICS } from "./table.ts";

const INTERRUPTED = 130;

async function main(words: readonly string[], io: Io): Promise<number> {
  const [first, ...rest] = commandFirst(words);
  if (first === undefined || first === "--help" || first === "-h") return print(io, help());
  if (first === "--version" || first === "-V" || first === "-v") return print(io, `${version()}\n`);
  if (first === "help") return main(rest.length === 0 ? [] : [...rest, "--help"], io);
  const command = commandNamed(first);
  if (command === undefined) return reportUnknown(first, rest.includes("--json"), io);
  const isWorker = command === "worker";
  keepCompiledCode({ program: __dirname, variant: isWorker ? "worker" : "command", env: io.env });
  if (isWorker) parseWithoutCompiling();
  if (isLightCommand(command)) {
    const { runLightCommand: runLook } = await import("./light-commands.ts");
    return runLook(command, rest, io);
  }
  const { runCommand } = await import("./all-commands.ts");
  return runCommand(command, rest, io);
}

/**
 * Zod compiles a function for each schema that it uses, which pays off after some hundred files. A worker reads few.
 * Set before a schema is made.
 */
function parseWithoutCompiling(): void {
  Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });
}

/** `saga -C folder list` means `saga list -C folder`, as in git. */
function commandFirst(words: readonly string[]): readonly string[] {
  let at = 0;
  while (words[at] === "--json" || words[at] === "-C") at += words[at] === "-C" ? 2 : 1;
  const command = words[at];
  if (at === 0) return words;
  if (command === undefined) return ["--help"];
  return [command, ...words.slice(0, at), ...words.slice(at + 1)];
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
    "Every command has --help with examples, --json, and -C <folder> to run in another folder.",
    "",
    "Start with:",
    "  saga init",
    '  saga new story add-login --description "People sign in with mail and password."',
    "  saga run add-login",
    "  saga status",
    "",
  ].join("\n");
}

function reportUnknown(word: string, asJson: boolean, io: Io): number {
  const isOption = word.startsWith("-");
  const message = `Unknown ${isOption ? "option" : "command"} ${JSON.stringify(word)}.`;
  const near = isOption
    ? OPTIONS.find((name) => isNear(word, name))
    : COMMANDS.find(({ name }) => isNear(word, name))?.name;
  const hint = `${near ? `Did you mean \`saga ${near}\`? ` : ""}\`saga --help\` lists the commands.`;
  if (asJson) io.writeOut(`${JSON.stringify({ error: { code: "usage", message, hint } })}\n`);
  else io.writeError(`saga: ${message.replaceAll(/[^\u0020-\u007e]/g, "?")}\n${hint}\n`);
  return EXIT.usage;
}

const OPTIONS = ["--version", "--help"] as const;

/** Also a prefix of the name, or the name with a suffix. */
const isNear = (word: string, name: string): boolean =>
  name.startsWith(word) || word.startsWith(name) || isOneOff(word, name);

function print(io: Io, text: string): number {
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
  // Getters, because reading `isTTY` makes Node open stdin as a stream, and few commands need it.
  get isTerminal() {
    return process.stdin.isTTY && process.stdout.isTTY;
  },
  get columns() {
    return process.stdout.isTTY ? process.stdout.columns : undefined;
  },
  get rows() {
    return process.stdout.isTTY ? process.stdout.rows : undefined;
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
  continueOnError: continueOnError,
});

/** Asks on stderr: stdout is the product. */
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

let continuesOnError = false;

/** An uncaught error is printed, and aborts `untilStopped`. */
function continueOnError(): void {
  continuesOnError = true;
  const onError = (error: unknown): void => {
    process.stderr.write(`saga: ${error instanceof Error ? error.stack : String(error)}\n`);
    untilStopped();
    stop?.abort(TERMINATED);
  };
  process.on("uncaughtException", onError);
  process.on("unhandledRejection", onError);
}

let stop: AbortController | undefined;

function untilStopped(): AbortSignal {
  if (stop) return stop.signal;
  const controller = new AbortController();
  stop = controller;
  let interrupts = 0;
  for (const name of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    process.on(name, () => {
      // The second Ctrl-C exits at once; the next run recovers. Only SIGINT counts: Ctrl-C reaches parent and
      // child, and the parent may send the child a SIGTERM as well.
      if (name === "SIGINT" && ++interrupts > 1) process.exit(INTERRUPTED);
      if (name === "SIGINT") controller.abort();
      else controller.abort(TERMINATED);
    });
  }
  return controller.signal;
}

// A reader that closes the pipe early (`saga list | head`) is not an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (!continuesOnError) process.exit(error.code === "EPIPE" ? 0 : 1);
});

// A closed stderr must not stop the work. Without this listener the error would be uncaught, and reporting that
// on the same stream would raise the next one, in a loop that no signal can interrupt.
process.stderr.on("error", () => undefined);

function currentFolder(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

/**
 * Without this, Node waits for its background compiler threads, which costs a tenth of the time of a long `saga list`.
 * If anything is still open, such as a pipe with a slow reader, Node exits by itself when that is done.
 */
function exitIfIdle(): void {
  if (process.getActiveResourcesInfo().length === 0) process.exit();
}

const POOL_WORKER_GRACE_MS = 5_000;

/** A handle left open must not keep a pool worker alive; its last output is not needed. */
function exitPoolWorkerSoon(): void {
  setTimeout(() => process.exit(), POOL_WORKER_GRACE_MS).unref();
}

const cwd = currentFolder();
if (cwd === undefined) {
  process.stderr.write("saga: The current folder no longer exists.\nChange to another folder.\n");
  process.exitCode = 1;
} else {
  void main(process.argv.slice(2), processIo(cwd)).then((exitCode) => {
    process.exitCode = exitCode;
    if (process.argv[2] === "auto-worker") exitPoolWorkerSoon();
    exitIfIdle();
  });
}
