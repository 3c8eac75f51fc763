// Builds the dashboard's page into dist/dashboard/. Everything it needs is in there: no request leaves
// the machine, and no script or style is inline, so that the strictest policy holds.

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { build } from "vite";
import { root } from "./setup.mjs";

/** Sources that became part of the page, as paths from the root: whose licences are passed on. */
export async function buildDashboard() {
  /** @type {Set<string>} */
  const inputs = new Set();
  await build({
    configFile: false,
    root: join(root, "src/dashboard/web"),
    logLevel: "warn",
    plugins: [react(), tailwind(), licencesOf(inputs)],
    build: {
      outDir: join(root, "dist/dashboard"),
      emptyOutDir: true,
      // All of these support colours that follow the theme (light-dark).
      target: ["chrome125", "firefox128", "safari18"],
      // Inlined files would need a wider policy.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      // A slow machine must not fail the build.
      rolldownOptions: { checks: { bundlerTimings: false } },
      chunkSizeWarningLimit: 700,
    },
  });
  // Its base styles are in the style sheet; the plugin that reads them lists no files.
  inputs.add("node_modules/tailwindcss/index.css");
  return [...inputs];
}

/** @param {Set<string>} inputs @returns {import("vite").Plugin} */
function licencesOf(inputs) {
  return {
    name: "licences",
    generateBundle(_, bundle) {
      for (const output of Object.values(bundle)) {
        const files =
          output.type === "chunk"
            ? Object.keys(output.modules)
            : output.originalFileNames.map((name) => join(root, "src/dashboard/web", name));
        for (const file of files) inputs.add(file.replace(`${root}/`, ""));
      }
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildDashboard();
