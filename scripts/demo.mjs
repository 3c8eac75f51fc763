// `npm run demo`: a small epic in a throw-away repository, shown the way a person would look at it.
// `npm run demo -- --keep` leaves the repository there to play with.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { styleText } from "node:util";
import { plan } from "./demo-plan.mjs";
import { root, setUp } from "./setup.mjs";

setUp({ programs: ["git", "tmux"] });

const project = mkdtempSync(join(tmpdir(), "saga-demo-"));
const keeps = process.argv.includes("--keep");
const hasColour = process.stdout.isTTY && !process.env["NO_COLOR"];

try {
  tell("Saga runs coding agents on real work and loses none of it.");
  tell("This demo plans a small web shop: one epic, four stories that depend on each other.\n");
  command("git", ["init", "--quiet"]);
  saga(["init"]);
  tell("A whole plan goes in at once, all of it or nothing:");
  saga(["stage", "-"], JSON.stringify(plan));
  tell("What can be started, and what waits for what:");
  saga(["list"]);
  tell("One story, with its tasks in order:");
  saga(["show", "shop--cart"]);
  tell("Decisions and questions are kept with the story; an open question blocks it:");
  saga(["journal", "shop--catalogue", "--blocker", "Which currency do prices have?"]);
  saga(["list"]);
  saga(["journal", "shop--catalogue", "--resolution", "Euro, in cents."]);
  tell("Every file is checked, and every problem says how to fix it:");
  saga(["validate"]);
  tell(
    keeps
      ? `The project is in ${project}.`
      : "That was a throw-away project. Keep it with `npm run demo -- --keep`.",
  );
} finally {
  if (!keeps) rmSync(project, { recursive: true, force: true });
}

/** @param {string[]} words @param {string} [input] */
function saga(words, input) {
  const shown = words.map((word) => (/^[\w./-]+$/.test(word) ? word : JSON.stringify(word)));
  const line = `$ saga ${shown.join(" ")}${input === undefined ? "" : " < plan.json"}`;
  console.log(hasColour ? styleText("bold", line) : line);
  command(process.execPath, [join(root, "dist/cli/main.cjs"), ...words], input);
  console.log("");
}

/** @param {string} program @param {string[]} args @param {string} [input] */
function command(program, args, input = "") {
  const { status } = spawnSync(program, args, {
    cwd: project,
    input,
    stdio: ["pipe", "inherit", "inherit"],
  });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${status}.`);
}

/** @param {string} text */
function tell(text) {
  console.log(hasColour ? styleText("cyan", text) : text);
}
