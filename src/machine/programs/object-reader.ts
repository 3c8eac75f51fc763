// Reads objects of a repository from one git process that stays open, instead of one process for each question. It
// answers from git's objects and refs as they are at that moment, runs no filter, and reads no index and no file. The
// process works in the git folder that all worktrees share, so `HEAD` and other names of one worktree are not for it.

import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Socket } from "node:net";
import { SagaError } from "../../errors.ts";
import { encodeBytes } from "../files/raw-bytes.ts";
import type { Environment } from "../processes/environment.ts";
import { commonDirOf } from "./common-dir.ts";
import { requireTrusted } from "./config-guard.ts";
import { gitEnvironment, type Git } from "./git.ts";

export interface ObjectInfo {
  readonly id: string;
  readonly type: string;
  readonly bytes: number;
}

export interface GitObject extends ObjectInfo {
  readonly content: Buffer;
}

/** A commit's id, or a ref that all worktrees share, with or without a path: `<id>:<path>`, `refs/heads/main^{commit}`. */
export const isSharedName = (name: string): boolean =>
  /^(?:[0-9a-f]{40}(?:[0-9a-f]{24})?(?![0-9a-z])|refs\/(?:heads|remotes|tags|saga)\/)/.test(name) &&
  !name.includes("\n");

/** Undefined for a name that leads to no object. */
export const objectInfo = (
  git: Git,
  names: readonly string[],
): Promise<(ObjectInfo | undefined)[]> => ask(git, "info", names);

/** The same with their contents. */
export const readObjects = async (
  git: Git,
  names: readonly string[],
): Promise<(GitObject | undefined)[]> =>
  (await ask(git, "contents", names)).map(
    (found) => found && { ...found, content: found.content ?? Buffer.alloc(0) },
  );

type Question = "info" | "contents";
type Answer = (ObjectInfo & { readonly content?: Buffer }) | undefined;

async function ask(git: Git, question: Question, names: readonly string[]): Promise<Answer[]> {
  const { env, root } = git.place;
  if (names.length === 0) return [];
  // `HEAD` would be the one of another checkout.
  const wrong = names.find((name) => !isSharedName(name));
  if (wrong !== undefined)
    throw new SagaError("bug", `${wrong} names a different commit in each worktree.`);
  const commonDir = commonDirOf(root);
  if (commonDir === undefined || commonDirOf(git.folder) !== commonDir) {
    throw unanswered(git.folder, `it is not in the repository ${root}`);
  }
  // Git may fetch what a partial clone lacks, and the settings say how.
  await requireTrusted({ commonDir, env }, commonDir);
  return readerOf(commonDir, env).ask(question, names);
}

interface Reader {
  readonly ask: (question: Question, names: readonly string[]) => Promise<Answer[]>;
  /** Resolves when its process has ended. */
  readonly end: () => Promise<void>;
}

/** For work that must leave no process behind, in a process that continues. A later question opens another reader. */
export async function endReaders(env: Environment): Promise<void> {
  const open = [...(readers.get(env)?.values() ?? [])];
  await Promise.all(open.map((reader) => reader.end()));
}

const readers = new WeakMap<Environment, Map<string, Reader>>();

function readerOf(commonDir: string, env: Environment): Reader {
  const known = readers.get(env) ?? new Map<string, Reader>();
  readers.set(env, known);
  const reader = known.get(commonDir) ?? openReader(commonDir, env, () => known.delete(commonDir));
  known.set(commonDir, reader);
  return reader;
}

/** It ends by itself when nothing is asked, and when this process ends: its input is closed then. */
const IDLE_MS = 10_000;
/** A partial clone fetches what it lacks. */
const TIMEOUT_MS = 300_000;

interface Waiting {
  readonly question: Question;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

function openReader(commonDir: string, env: Environment, onEnd: () => void): Reader {
  const args = ["--git-dir", commonDir, "cat-file", "--batch-command"];
  const child = spawn("git", args, {
    cwd: commonDir,
    env: gitEnvironment(env),
    // In a group of its own: Ctrl+C in a terminal is for this process.
    detached: true,
    stdio: ["pipe", "pipe", "ignore"],
  });
  const waiting: Waiting[] = [];
  const received = newReceived();
  let timer: NodeJS.Timeout | undefined;

  const end = (why: string): void => {
    clearTimeout(timer);
    onEnd();
    // A killed git has not said that an object is missing.
    for (const { reject } of waiting.splice(0)) reject(unanswered(commonDir, why));
  };
  child.on("error", (error) => end(error.message));
  const closed = once(child, "close").catch(() => undefined);
  child.on("close", (code, signal) => end(signal ? `killed by ${signal}` : `exit ${code}`));
  // Its end is reported by `close`.
  child.stdin.on("error", () => undefined);
  child.stdout.on("data", (chunk: Buffer) => {
    received.add(chunk);
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      const answer = received.take(next.question);
      if (answer === "incomplete") return;
      waiting.shift();
      next.resolve(answer);
    }
    rest();
  });

  /** Keeps this process from waiting for it. */
  const rest = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => child.stdin.end(), IDLE_MS).unref();
    child.unref();
    for (const stream of [child.stdin, child.stdout] as Socket[]) stream.unref();
  };
  const wake = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => child.kill("SIGKILL"), TIMEOUT_MS);
    child.ref();
    for (const stream of [child.stdin, child.stdout] as Socket[]) stream.ref();
  };
  return {
    ask(question, names) {
      // Ended while it was idle: the next call opens another.
      if (!child.stdin.writable) {
        onEnd();
        return readerOf(commonDir, env).ask(question, names);
      }
      wake();
      const answers = names.map(
        () => new Promise<Answer>((resolve, reject) => waiting.push({ question, resolve, reject })),
      );
      child.stdin.write(encodeBytes(names.map((name) => `${question} ${name}\n`).join("")));
      return Promise.all(answers);
    },
    async end() {
      onEnd();
      child.ref();
      child.stdin.end();
      await closed;
    },
  };
}

interface Received {
  readonly add: (chunk: Buffer) => void;
  readonly take: (question: Question) => Answer | "incomplete";
}

/** Puts the parts of the output together: a line for each object, followed by its content if that was asked for. */
function newReceived(): Received {
  let chunks: Buffer[] = [];
  let bytes = 0;
  /** Known to be needed for the next answer. */
  let needed = 1;
  const whole = (): Buffer => {
    const joined = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
    chunks = [joined];
    return joined;
  };
  const keep = (rest: Buffer): void => {
    [chunks, bytes, needed] = [[rest], rest.length, 1];
  };
  return {
    add(chunk) {
      chunks.push(chunk);
      bytes += chunk.length;
    },
    take(question) {
      if (bytes < needed) return "incomplete";
      const all = whole();
      const lineEnd = all.indexOf(NEW_LINE);
      if (lineEnd === -1) return "incomplete";
      const [id = "", type = "", size] = all.toString("latin1", 0, lineEnd).split(" ");
      // `<name> missing`: the name may contain spaces.
      const isFound = size !== undefined && /^[0-9a-f]{40,64}$/.test(id) && /^\d+$/.test(size);
      if (!isFound) {
        keep(all.subarray(lineEnd + 1));
        return undefined;
      }
      const info = { id, type, bytes: Number(size) };
      if (question === "info") {
        keep(all.subarray(lineEnd + 1));
        return info;
      }
      const contentEnd = lineEnd + 1 + info.bytes;
      if (all.length < contentEnd + 1) {
        needed = contentEnd + 1;
        return "incomplete";
      }
      // Copied: a view would keep all of the output in memory.
      const content = Buffer.from(all.subarray(lineEnd + 1, contentEnd));
      keep(all.subarray(contentEnd + 1));
      return { ...info, content };
    },
  };
}

const NEW_LINE = 10;

const unanswered = (folder: string, why: string): SagaError =>
  new SagaError("program-failed", `git cat-file gave no answer in ${folder}: ${why}`, {
    hint: "No work was lost. Run the command again.",
  });
