// `npm run cast`: docs/demo.svg, from a real run of `saga demo` in a real terminal.

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { draw } from "./cast/draw.mjs";
import { record } from "./cast/record.mjs";
import { root, setUp } from "./setup.mjs";

setUp({ programs: ["git", "tmux"] });

const COLUMNS = 106;
const bin = mkdtempSync(join(tmpdir(), "saga-cast-bin-"));
const saga = `#!/bin/sh\nexec "${process.execPath}" "${join(root, "dist/cli/main.cjs")}" "$@"\n`;
writeFileSync(join(bin, "saga"), saga);
chmodSync(join(bin, "saga"), 0o755);
const lines = await record({
  command: "saga demo",
  path: `${bin}:${process.env["PATH"]}`,
  columns: COLUMNS,
  last: "Four stories, from plan to merged",
  limitMs: 180_000,
});
rmSync(bin, { recursive: true });
writeFileSync(
  join(root, "docs/demo.svg"),
  draw(lines, { columns: COLUMNS, rows: 30, title: "saga demo" }),
);
