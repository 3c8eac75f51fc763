// Runs other programs: argument arrays only, a clean end, and a result of the same shape for success and failure. The
// program runs in its own process group, so that ending it ends its children.

import { spawn } from "node:child_process";
import { lowerPriority } from "./priority.ts";
import { MAX_TIMER_MS } from "./timer.ts";

export interface RunRequest {
  readonly cwd?: string | undefined;
  /** The whole environment: nothing else is inherited. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly input?: string | Buffer | undefined;
  readonly timeoutMs: number;
  /** Ends it early, like a timeout. */
  readonly stop?: AbortSignal | undefined;
  /** Called before it is ended early, while its descendants can still be found. */
  readonly onEnding?: ((pid: number) => void) | undefined;
  /** Output beyond this many bytes is dropped from the front. */
  readonly maxOutputBytes?: number | undefined;
  /** Receives all output as it arrives. */
  readonly onOutput?: ((chunk: Buffer) => void) | undefined;
  /** For output that is not plain UTF-8. */
  readonly decode?: ((bytes: Buffer) => string) | undefined;
  readonly isLowPriority?: boolean | undefined;
}

export type ProgramResult =
  | {
      readonly kind: "exited";
      readonly exitCode: number;
      readonly stdout: string;
      readonly stderr: string;
    }
  | { readonly kind: "missing" }
  | { readonly kind: "timed-out"; readonly stdout: string; readonly stderr: string }
  | {
      readonly kind: "killed";
      readonly signal: string;
      readonly stdout: string;
      readonly stderr: string;
    };

/** Between the polite signal and the hard one. */
const GRACE_MS = 2_000;
/** A process that it left running may keep its output open: wait no longer than this. */
const LEFTOVER_MS = 500;
const MAX_OUTPUT_BYTES = 1_000_000;

export function run(
  program: string,
  args: readonly string[],
  request: RunRequest,
): Promise<ProgramResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...args], {
      cwd: request.cwd,
      env: request.env,
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
    });
    if (request.isLowPriority) lowerPriority(child.pid);
    const stdout = tail(request.maxOutputBytes ?? MAX_OUTPUT_BYTES);
    const stderr = tail(request.maxOutputBytes ?? MAX_OUTPUT_BYTES);
    for (const [stream, output] of [
      [child.stdout, stdout],
      [child.stderr, stderr],
    ] as const) {
      stream.on("data", (chunk: Buffer) => {
        output.add(chunk);
        request.onOutput?.(chunk);
      });
    }
    // A program need not read its input.
    child.stdin.on("error", () => undefined);
    child.stdin.end(request.input ?? "");

    let hasTimedOut = false;
    let hard: NodeJS.Timeout | undefined;
    const end = (): void => {
      if (hasTimedOut) return;
      hasTimedOut = true;
      if (child.pid !== undefined) request.onEnding?.(child.pid);
      signalGroup(child.pid, "SIGTERM");
      hard = setTimeout(() => signalGroup(child.pid, "SIGKILL"), GRACE_MS);
    };
    const polite = setTimeout(end, Math.min(request.timeoutMs, MAX_TIMER_MS));
    request.stop?.addEventListener("abort", end, { once: true });
    if (request.stop?.aborted) end();

    child.on("error", (error) => {
      clearTimeout(polite);
      request.stop?.removeEventListener("abort", end);
      if ("code" in error && (error.code === "ENOENT" || error.code === "EACCES")) {
        resolve({ kind: "missing" });
      } else reject(error);
    });
    let leftovers: NodeJS.Timeout | undefined;
    let isClosed = false;
    const leave = (): void => {
      if (isClosed) return;
      signalGroup(child.pid, "SIGKILL");
      child.stdout.destroy();
      child.stderr.destroy();
    };
    child.on("exit", () => {
      // If this process was busy that long, output may still be unread: read it first.
      leftovers = setTimeout(() => afterReading(leave), LEFTOVER_MS);
    });
    child.on("close", (exitCode, signal) => {
      isClosed = true;
      clearTimeout(leftovers);
      request.stop?.removeEventListener("abort", end);
      clearTimeout(polite);
      clearTimeout(hard);
      const decode = request.decode ?? String;
      const output = { stdout: decode(stdout.bytes()), stderr: String(stderr.bytes()) };
      if (hasTimedOut) resolve({ kind: "timed-out", ...output });
      else if (exitCode === null) resolve({ kind: "killed", signal: signal ?? "", ...output });
      else resolve({ kind: "exited", exitCode, ...output });
    });
  });
}

/** Timers run before I/O: each of these rounds reads what is in the pipes, and sees their end. */
const READING_ROUNDS = 3;

function afterReading(act: () => void, rounds = READING_ROUNDS): void {
  setImmediate(() => (rounds > 1 ? afterReading(act, rounds - 1) : act()));
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The group ended in the meantime.
  }
}

function tail(maxBytes: number): { add: (chunk: Buffer) => void; bytes: () => Buffer } {
  // Joined once: joining per chunk would copy everything again each time.
  const chunks: Buffer[] = [];
  let bytes = 0;
  return {
    add(chunk) {
      chunks.push(chunk);
      bytes += chunk.length;
      for (;;) {
        const first = chunks[0]?.length ?? 0;
        if (first === 0 || bytes - first < maxBytes) return;
        chunks.shift();
        bytes -= first;
      }
    },
    bytes() {
      const all = Buffer.concat(chunks);
      return all.subarray(Math.max(0, all.length - maxBytes));
    },
  };
}
