// The key that Saga's own receipts are told by. It lies outside every project, where nothing that an
// agent writes or runs has any business, and is never in an environment. Only the person may read it.

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
  /** Why there is none, in sentences; nothing when nobody has made one yet. */
  readonly fault: string | undefined;
}

const BYTES = 32;

/** Read once in a process: the place is known by its path. */
const known = new Map<string, Buffer>();

export const receiptKeyFile = (env: Environment): string => join(stateFolder(env), "receipt-key");

/** For those who read: nothing is made. */
export const findReceiptKey = (env: Environment, userId = process.getuid?.()): ReceiptKey =>
  attempt(() => readKey(receiptKeyFile(env), userId));

/** For those who write. */
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
    return { key: read(), fault: undefined };
  } catch (error) {
    const hint = error instanceof SagaError && error.hint ? ` ${error.hint}` : "";
    return { key: undefined, fault: `${messageOf(error)}${hint}` };
  }
}

function readKey(file: string, userId: number | undefined): Buffer | undefined {
  const before = known.get(file);
  if (before) return before;
  const handle = openKey(file);
  if (handle === undefined) return undefined;
  const key = readOwnKey(handle, file, userId);
  known.set(file, key);
  return key;
}

/** Judged by what is open, so that nobody can put another in its place in between. */
function readOwnKey(handle: number, file: string, userId: number | undefined): Buffer {
  try {
    const { uid, mode } = fstatSync(handle);
    if (userId !== undefined && uid !== userId) throw unsafe(file, "belongs to someone else");
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
  new SagaError("unsafe-path", `The key of receipts, ${file}, ${what}.`, {
    hint: "Remove it: a new one is made, and gates are run again where they have to be.",
  });

/** Whole or not at all, and of two who make one at once the first one's stays: a link replaces nothing. */
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
