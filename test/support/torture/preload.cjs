// Comes before the program under test, in every process of it: a clock that can be moved, and a death
// that waits for it. Both are files in the home folder, because sessions get no other environment.

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

// Looked at now and then: a clock is asked often.
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

// The first one that is started as this, in a session, takes it.
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
