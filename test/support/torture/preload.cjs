// Loaded first in every process of the program under test: a clock that can be set, and a scheduled kill. Both are files in
// the home folder, because sessions get no other environment.

const fs = require("node:fs");
const path = require("node:path");

const home = process.env["HOME"] ?? "/nowhere";
const offsetFile = path.join(home, "clock-offset");

/** @param {string} file */
const textOf = (file) => {
  try {
    return fs.readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
};

// Read only now and then, because the clock is used often.
const RealDate = Date;
let offset = Number(textOf(offsetFile) ?? 0);
const looking = setInterval(() => (offset = Number(textOf(offsetFile) ?? 0)), 100);
looking.unref();

const now = () => RealDate.now() + offset;
globalThis.Date = new Proxy(RealDate, {
  construct: (real, given) =>
    /** @type {object} */ (Reflect.construct(real, given.length === 0 ? [now()] : given)),
  get: (real, name) => (name === "now" ? now : /** @type {unknown} */ (Reflect.get(real, name))),
});

// The first matching process in a session takes it.
const isInSession = process.argv.some((word) => word.startsWith("--session="));
const doom = path.join(home, "doom", process.argv[2] ?? "none");
const killAt = isInSession ? textOf(doom) : undefined;
if (killAt !== undefined) {
  fs.rmSync(doom, { force: true });
  process.env["KILL_AT"] = killAt;
  process.env["KILL_COARSELY"] = "1";
  require("../kill-at.cjs");
  delete process.env["KILL_AT"];
}
