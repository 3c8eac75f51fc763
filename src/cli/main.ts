// The program's only way in and its only way out. It stays small, because it is all that runs for
// `saga --help`; everything else is loaded when a command is named.

import { readFileSync } from "node:fs";
import nodeModule from "node:module";
import { join } from "node:path";
import type { Io } from "./io.ts";
import { COMMANDS, isCommand } from "./table.ts";

const USAGE_ERROR = 2;

// Newer Node keeps what it has compiled, and starts sooner the next time.
(nodeModule as { enableCompileCache?: () => void }).enableCompileCache?.();

async function main(words: readonly string[], io: Io): Promise<number> {
  const [first, ...rest] = words;
  if (first === undefined || first === "--help" || first === "-h") return say(io, help());
  if (first === "--version" || first === "-V") return say(io, `${version()}\n`);
  if (first === "help") {
    return rest[0] === undefined ? say(io, help()) : main([rest[0], "--help"], io);
  }
  if (!isCommand(first)) return unknown(first, words, io);
  const { runCommand } = await import("./program.ts");
  return runCommand(first, rest, io);
}

function help(): string {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length)) + 2;
  return [
    "Saga runs coding agents on real work and loses none of it.",
    "",
    "Usage: saga <command> [options]",
    "",
    "Commands:",
    ...COMMANDS.map(({ name, summary }) => `  ${name.padEnd(width)}${summary}`),
    "",
    "Every command has --help with examples, --json for programs, and -C <folder> to work elsewhere.",
    "",
    "Begin with:",
    "  saga init",
    '  saga new story add-login --title "Add a login page" --description "…"',
    "  saga list",
    "",
  ].join("\n");
}

function unknown(word: string, words: readonly string[], io: Io): number {
  const message = `There is no command ${JSON.stringify(word)}.`;
  const hint = "`saga --help` lists the commands.";
  if (words.includes("--json")) {
    io.writeOut(`${JSON.stringify({ error: { code: "usage", message, hint } })}\n`);
  } else io.writeError(`saga: ${message}\n${hint}\n`);
  return USAGE_ERROR;
}

function say(io: Io, text: string): number {
  io.writeOut(text);
  return 0;
}

function version(): string {
  const file = join(__dirname, "..", "..", "package.json");
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}

const processIo: Io = {
  cwd: process.cwd(),
  env: process.env,
  hasColour: process.stdout.isTTY && !process.env["NO_COLOR"] && process.env["TERM"] !== "dumb",
  writeOut: (text) => void process.stdout.write(text),
  writeError: (text) => void process.stderr.write(text),
  readInput: async () => {
    if (process.stdin.isTTY) return "";
    const chunks: Buffer[] = [];
    for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString("utf8");
  },
};

// A reader that has seen enough (`saga list | head`) is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  process.exit(error.code === "EPIPE" ? 0 : 1);
});

main(process.argv.slice(2), processIo).then(
  (exitCode) => {
    process.exitCode = exitCode;
  },
  (error: unknown) => {
    processIo.writeError(`saga: ${error instanceof Error ? (error.stack ?? "") : String(error)}\n`);
    process.exitCode = 1;
  },
);
