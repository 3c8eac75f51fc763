import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** From the nearest package.json: beside `dist`, or at the top of a clone. */
export function programVersion(from: string = import.meta.url): string {
  for (let folder = dirname(fileURLToPath(from)); ; folder = dirname(folder)) {
    try {
      const text = readFileSync(join(folder, "package.json"), "utf8");
      return (JSON.parse(text) as { readonly version: string }).version;
    } catch (error) {
      if (folder === dirname(folder)) throw error;
    }
  }
}
