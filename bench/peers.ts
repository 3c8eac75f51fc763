// Programs and packages that do a part of what Saga does, to stand beside it in the same run. Only the benchmark
// fetches them, and whoever cannot has a table without them.

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
  /** Nothing when it could not be fetched. */
  readonly load: (name: PeerName) => unknown;
  readonly program: (name: PeerName, bin: string) => string | undefined;
}

export const peerTitle = (name: PeerName): string => `${name} ${VERSIONS[name]}`;

/** Optional ones: one that is not to be had does not take the others away. */
export function fetchPeers(folder: string): void {
  const manifest = JSON.stringify({ private: true, optionalDependencies: VERSIONS });
  const file = join(folder, "package.json");
  if (existsSync(file) && readFileSync(file, "utf8") === manifest) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, manifest);
  const words = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock"];
  const { status } = spawnSync("npm", words, { cwd: folder, stdio: "ignore", timeout: 300_000 });
  if (status === 0) return;
  // To be tried again.
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
