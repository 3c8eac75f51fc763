// `npm run demo`: sets everything up, then `saga demo`. `npm run demo -- --keep` leaves the project.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { root, setUp } from "./setup.mjs";

setUp({ programs: ["git", "tmux"] });

const saga = join(root, "dist/cli/main.cjs");
const { status } = spawnSync(process.execPath, [saga, "demo", ...process.argv.slice(2)], {
  stdio: "inherit",
});
process.exitCode = status ?? 1;
