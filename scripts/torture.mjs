// `npm run torture`: kills every process at every effect, and runs random schedules of other failures for `--minutes N`
// (10). Other arguments name tests: `npm run torture -- schedules`.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { root, setUp } from "./setup.mjs";

setUp({ programs: ["git", "tmux", "gh"] });
const { values, positionals } = parseArgs({
  options: { minutes: { type: "string", default: "10" } },
  allowPositionals: true,
});
const tests =
  positionals.length === 0 ? ["test/torture"] : positionals.map((name) => `test/torture/${name}`);
const { status } = spawnSync(join(root, "node_modules/.bin/vitest"), ["run", ...tests], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, SAGA_TORTURE: "full", SAGA_TORTURE_MINUTES: values.minutes },
});
process.exit(status ?? 1);
