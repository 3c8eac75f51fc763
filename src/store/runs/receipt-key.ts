// The key that Saga signs receipts with. It is outside every project, where agents have no reason to write or run
// anything, and is never in an environment variable. Only this user may read it.

import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { messageOf, SagaError } from "../../errors.ts";
import type { Environment } from "../../machine/processes/environment.ts";
import { diskError, errorCode, readProblem, syncFolder } from "../../machine/files/files.ts";
import { openStateFolder, stateFolder } from "../../machine/files/state-folder.ts";

export interface ReceiptKey {
  readonly key: Buffer | undefined;
  /** Why the key cannot be used, in sentences. Undefined when there simply is no key yet. */
  readonly problem: string | undefined;
}

const BYTES = 32;

/** By path, read once per process. */
const cache = new Map<string, Buffer>();

export const receiptKeyFile = (env: Environment): string => join(stateFolder(env), "receipt-key");

/** For readers. Creates nothing. */
export const findReceiptKey = (env: Environment, userId = process.getuid?.()): ReceiptKey =>
  attempt(() => readKey(receiptKeyFile(env), userId));

/** For writers. Creates the key if needed. */
export const makeReceiptKey = (env: Environment, userId = process.getuid?.()): ReceiptKey =>
  attempt(() => {
    const file = receiptKeyFile(env);
    const before = readKey(file, userId);
    if (before) return before;
    putKey(openStateFolder(env, userId), file);
    return readKey(file, userId);
  });

function attempt(read: () => Buffer | undefined): ReceiptKey {
  try {
    return { key: read(), problem: undefined };
  } catch (error) {
    const hint = error instanceof SagaError && error.hint ? ` ${error.hint}` : "";
    return { key: undefined, problem: `${messageOf(error)}${hint}` };
  }
}

function readKey(file: string, userId: number | undefined): Buffer | undefined {
  const cached = cache.get(file);
  if (cached) return cached;
  const handle = openKey(file);
  if (handle === undefined) return undefined;
  const key = readOwnKey(handle, file, userId);
  cache.set(file, key);
  return key;
}

/** Checks the open file, so that it cannot be replaced between the check and the read. */
function readOwnKey(handle: number, file: string, userId: number | undefined): Buffer {
  try {
    const { uid, mode } = fstatSync(handle);
    if (userId !== undefined && uid !== userId) throw unsafe(file, "belongs to another user");
    if ((mode & 0o077) !== 0) throw unsafe(file, "is open to other users");
    const bytes = Buffer.alloc(BYTES + 1);
    if (readSync(handle, bytes) !== BYTES) throw unsafe(file, "is not a key");
    return bytes.subarray(0, BYTES);
  } finally {
    closeSync(handle);
  }
}

function openKey(file: string): number | undefined {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    return openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    const code = errorCode(error) ?? "";
    if (["ENOENT", "ENOTDIR"].includes(code)) return undefined;
    throw unsafe(file, code === "ELOOP" ? "is a link" : readProblem(error));
  }
}

const unsafe = (file: string, what: string): SagaError =>
  new SagaError("unsafe-path", `The key that signs check results, ${file}, ${what}.`, {
    hint: "Delete the file: Saga creates a new key, and runs checks again where needed.",
  });

/** Atomic: of two processes that create it at once the first wins, because a link never replaces a file. */
function putKey(folder: string, file: string): void {
  const temporary = join(folder, `.receipt-key.${randomBytes(6).toString("hex")}.tmp`);
  try {
    const handle = openSync(temporary, "wx", 0o600);
    try {
      writeSync(handle, randomBytes(BYTES));
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    linkSync(temporary, file);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw diskError(error, file);
  } finally {
    rmSync(temporary, { force: true });
  }
  syncFolder(folder);
}
