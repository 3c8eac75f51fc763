// `npm run torture`: everything that can be killed, killed everywhere.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { root, setUp } from "./setup.mjs";

setUp({ programs: ["git", "tmux", "gh"] });
const { status } = spawnSync(
  join(root, "node_modules/.bin/vitest"),
  ["run", "test/torture", ...process.argv.slice(2)],
  { cwd: root, stdio: "inherit", env: { ...process.env, SAGA_TORTURE: "full" } },
);
process.exit(status ?? 1);
