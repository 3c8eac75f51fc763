// `npm run torture`: kills every process at every effect, and runs random schedules of other failures for `--minutes N`
// (10). Other arguments name tests: `npm run torture -- schedules`.

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { root, setUp } from "./setup.mjs";

setUp({ programs: ["git", "tmux", "gh"] });
const { values, positionals } = parseArgs({
  options: { minutes: { type: "string", default: "10" } },
  allowPositionals: true,
});
const all = ["test/torture", ...killingTests("src")];
const tests =
  positionals.length === 0
    ? all
    : positionals.map((name) => all.find((path) => path.includes(name)) ?? `test/torture/${name}`);
const { status } = spawnSync(join(root, "node_modules/.bin/vitest"), ["run", ...tests], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, SAGA_TORTURE: "full", SAGA_TORTURE_MINUTES: values.minutes },
});
process.exit(status ?? 1);

/** Tests beside their sources that kill at every place here, and at a few in `npm test`. @param {string} folder */
function killingTests(folder) {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => join(folder, name))
    .filter((path) => /killPlaces|killedAtCalls/.test(readFileSync(join(root, path), "utf8")));
}
