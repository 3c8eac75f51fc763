// `npm run reference`: docs/reference from the code. A test compares what is committed with it.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { root, setUp } from "./setup.mjs";

setUp({ programs: [] });

const { build } = await import("esbuild");
// Where the packages are found that cannot be bundled.
const outfile = join(root, "node_modules/.cache/saga-reference/pages.mjs");
await build({
  entryPoints: [join(root, "scripts/reference/pages.ts")],
  outfile,
  bundle: true,
  platform: "node",
  format: "esm",
  packages: "external",
  logLevel: "warning",
});
const { referencePages } = /** @type {typeof import("./reference/pages.ts")} */ (
  await import(pathToFileURL(outfile).href)
);
for (const [path, text] of await referencePages()) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}
