// Programs and packages with some of Saga's functions, for comparison in the same run. Only the benchmark downloads them;
// without a network, the table has no such rows.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const VERSIONS = {
  "backlog.md": "1.52.0",
  chokidar: "5.0.0",
  "proper-lockfile": "4.1.2",
  "write-file-atomic": "7.0.1",
} as const;

export type PeerName = keyof typeof VERSIONS;

export interface Peers {
  /** Undefined if it could not be downloaded. */
  readonly load: (name: PeerName) => unknown;
  readonly program: (name: PeerName, bin: string) => string | undefined;
}

export const peerTitle = (name: PeerName): string => `${name} ${VERSIONS[name]}`;

/** Optional, so that a missing one does not prevent the others. */
export function fetchPeers(folder: string): void {
  const manifest = JSON.stringify({ private: true, optionalDependencies: VERSIONS });
  const file = join(folder, "package.json");
  if (existsSync(file) && readFileSync(file, "utf8") === manifest) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, manifest);
  const words = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock"];
  const { status } = spawnSync("npm", words, { cwd: folder, stdio: "ignore", timeout: 300_000 });
  if (status === 0) return;
  // So that the next run tries again.
  rmSync(file);
  process.stderr.write("The peers could not be fetched: they are left out.\n");
}

export function peersIn(folder: string): Peers {
  const isThere = (name: PeerName): boolean => existsSync(join(folder, "node_modules", name));
  return {
    load: (name) =>
      isThere(name) ? (createRequire(join(folder, "package.json"))(name) as unknown) : undefined,
    program: (name, bin) => (isThere(name) ? join(folder, "node_modules/.bin", bin) : undefined),
  };
}
