// Makes a fresh clone ready: npm packages, programs of the system, and the build. Everything is
// looked for first, so repeating it costs next to nothing. Only Node's own modules are used here,
// because nothing else is installed yet.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = join(dirname(fileURLToPath(import.meta.url)), "..");

/** Programs, with the command that shows whether they are installed; each is installed only if needed. */
const PROGRAMS = {
  git: { apt: "git", brew: "git" },
  tmux: { apt: "tmux", brew: "tmux" },
  gh: { apt: "gh", brew: "gh" },
  bwrap: { apt: "bubblewrap", brew: "bubblewrap" },
  socat: { apt: "socat", brew: "socat" },
  chromium: { apt: "chromium", brew: "--cask chromium" },
  "chromium-headless-shell": { apt: "chromium-headless-shell", brew: "--cask chromium" },
};

/**
 * Homebrew has no Chromium without windows.
 * @type {keyof typeof PROGRAMS}
 */
export const browser = process.platform === "linux" ? "chromium-headless-shell" : "chromium";

/** @param {{ programs: (keyof typeof PROGRAMS)[] }} needs */
export function setUp({ programs }) {
  installPackages();
  installPrograms(programs);
  buildIfChanged();
}

export function installPackages() {
  const lock = readFileSync(join(root, "package-lock.json"));
  const wanted = createHash("sha256").update(lock).digest("hex");
  const stamp = join(root, "node_modules", ".saga-setup");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  say("Installing npm packages …");
  must("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"]);
  writeFileSync(stamp, wanted);
}

/** @param {(keyof typeof PROGRAMS)[]} names */
function installPrograms(names) {
  const missing = names.filter((name) => !isOnPath(name));
  if (missing.length === 0) return;
  const packages = missing.map((name) => PROGRAMS[name].apt);
  const canInstall = isOnPath("apt-get") && process.getuid?.() === 0;
  if (!canInstall) {
    const command = isOnPath("brew")
      ? missing.map((name) => `brew install ${PROGRAMS[name].brew}`).join(" && ")
      : `sudo apt-get install -y ${packages.join(" ")}`;
    fail(`This needs ${missing.join(" and ")}. Install with:\n  ${command}`);
  }
  say(`Installing ${packages.join(", ")} …`);
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  must("apt-get", ["update", "-qq"], env);
  must("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...packages], env);
}

/** Builds when a source is newer than what was built. */
function buildIfChanged() {
  // Written last by the build, so an aborted build is not fresh.
  const built = join(root, "dist", "THIRD-PARTY.txt");
  const sources = [
    "src",
    "scripts/build.mjs",
    "scripts/dashboard.mjs",
    "package.json",
    "package-lock.json",
    "tsconfig.json",
    "tsconfig.types.json",
  ];
  const isFresh =
    existsSync(built) &&
    sources.every((path) => newest(join(root, path)) <= statSync(built).mtimeMs);
  if (!isFresh) must(process.execPath, [join(root, "scripts", "build.mjs")]);
}

/** @param {string} path @returns {number} */
function newest(path) {
  const own = statSync(path);
  if (!own.isDirectory()) return own.mtimeMs;
  return Math.max(own.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}

/** @param {string} program */
function isOnPath(program) {
  return (process.env["PATH"] ?? "").split(":").some((folder) => existsSync(join(folder, program)));
}

/** @param {string} program @param {string[]} args @param {NodeJS.ProcessEnv} [env] */
function must(program, args, env = process.env) {
  // Their output is progress, so it goes to stderr.
  const { status, error } = spawnSync(program, args, { cwd: root, env, stdio: ["ignore", 2, 2] });
  if (status !== 0)
    fail(`\`${program} ${args.join(" ")}\` failed${error ? `: ${error.message}` : ""}.`);
}

/** @param {string} text */
function say(text) {
  process.stderr.write(`${text}\n`);
}

/** @param {string} text @returns {never} */
function fail(text) {
  say(text);
  process.exit(1);
}
