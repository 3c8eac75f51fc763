// Loaded before the program under test: lets it be killed at its Nth change to the disk, half-way
// through the bytes when that change is a write. The product itself knows nothing of this.

const fs = require("node:fs");
const { syncBuiltinESMExports } = require("node:module");

const killAt = Number(process.env["KILL_AT"] ?? 0);
let effects = 0;

const die = () => process.kill(process.pid, "SIGKILL");

for (const name of /** @type {const} */ ([
  "fsyncSync",
  "linkSync",
  "mkdirSync",
  "renameSync",
  "rmSync",
  "truncateSync",
])) {
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
    effects++;
    const bytes = Buffer.from(data).subarray(from);
    if (effects === killAt) {
      writeSync(file, bytes.subarray(0, bytes.length >> 1));
      die();
    }
    return writeSync(file, bytes);
  },
);

Reflect.set(fs, "writeFileSync", (/** @type {string} */ path, /** @type {string} */ text) => {
  effects++;
  if (effects === killAt) {
    writeFileSync(path, text.slice(0, text.length >> 1));
    die();
  }
  writeFileSync(path, text);
});

// Creating a file empty is a change of its own.
Reflect.set(
  fs,
  "openSync",
  (/** @type {string} */ path, /** @type {string} */ flags, /** @type {number} */ mode) => {
    if (flags !== "r") {
      effects++;
      if (effects === killAt) die();
    }
    return openSync(path, flags, mode);
  },
);

syncBuiltinESMExports();
