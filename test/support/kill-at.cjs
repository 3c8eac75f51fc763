// Loaded before the program under test: kills it at its Nth effect, which is each change to the disk (a write is killed
// half-way) and each program that it starts, right before and right after. The product itself is not aware of it.

const childProcess = require("node:child_process");
const fs = require("node:fs");
const { syncBuiltinESMExports } = require("node:module");

const killAt = Number(process.env["KILL_AT"] ?? 0);
/** Only important effects: new names and started programs, not single writes into a file. */
const isCoarse = process.env["KILL_COARSELY"] !== undefined;
let effects = 0;

const die = () => process.kill(process.pid, "SIGKILL");

const deciding = /** @type {const} */ (["linkSync", "renameSync", "truncateSync"]);
const others = /** @type {const} */ (["fsyncSync", "mkdirSync", "rmSync"]);

for (const name of isCoarse ? deciding : [...deciding, ...others]) {
  const original = /** @type {(...args: unknown[]) => unknown} */ (fs[name]);
  Reflect.set(fs, name, (/** @type {unknown[]} */ ...args) => {
    effects++;
    if (effects === killAt) die();
    return original(...args);
  });
}

const { openSync, writeFileSync, writeSync } = fs;

Reflect.set(
  fs,
  "writeSync",
  (
    /** @type {number} */ file,
    /** @type {Buffer | string} */ data,
    /** @type {number} */ from = 0,
  ) => {
    const bytes = Buffer.from(data).subarray(from);
    if (!isCoarse) effects++;
    if (!isCoarse && effects === killAt) {
      writeSync(file, bytes.subarray(0, bytes.length >> 1));
      die();
    }
    return writeSync(file, bytes);
  },
);

Reflect.set(fs, "writeFileSync", (/** @type {string} */ path, /** @type {string} */ text) => {
  if (!isCoarse) effects++;
  if (!isCoarse && effects === killAt) {
    writeFileSync(path, text.slice(0, text.length >> 1));
    die();
  }
  writeFileSync(path, text);
});

// Creating an empty file is a separate change.
Reflect.set(
  fs,
  "openSync",
  (/** @type {string} */ path, /** @type {string} */ flags, /** @type {number} */ mode) => {
    if (flags !== "r" && !isCoarse) {
      effects++;
      if (effects === killAt) die();
    }
    return openSync(path, flags, mode);
  },
);

const { spawn } = childProcess;
const WRITING = ["add", "checkout-index", "commit", "read-tree", "push", "update-ref", "worktree"];
/** @param {unknown} args @returns {unknown[]} */
const asWords = (args) => (Array.isArray(args) ? args : []);

Reflect.set(childProcess, "spawn", (/** @type {Parameters<typeof spawn>} */ ...args) => {
  effects++;
  if (effects === killAt) die();
  const child = spawn(...args);
  // Killed while it runs: of git only commands that write, because others leave nothing behind.
  const isQuestion = args[0] === "git" && !WRITING.some((word) => asWords(args[1]).includes(word));
  if (isCoarse && isQuestion) return child;
  effects++;
  if (effects === killAt) die();
  return child;
});

if (process.env["COUNT_EFFECTS"] !== undefined) {
  process.on("exit", () => fs.appendFileSync(process.env["COUNT_EFFECTS"] ?? "", `${effects}\n`));
}

syncBuiltinESMExports();
