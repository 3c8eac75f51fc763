// The built page. Its files are read once, when the server starts. No path is ever built from a request, so no
// other file can be served.

import { readdirSync, readFileSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import { ifThere } from "../../machine/files/files.ts";

export interface PageFile {
  readonly content: Buffer;
  readonly type: string;
  /** Its name contains a hash of its content, so browsers may cache it without a limit. */
  readonly isImmutable: boolean;
}

export interface Page {
  readonly index: PageFile | undefined;
  /** By the path of a request: `/assets/index-1a2b3c.js`. */
  readonly files: ReadonlyMap<string, PageFile>;
}

/** The build puts files with a hash in their name here. */
export const ASSETS = "/assets/";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".webmanifest": "application/manifest+json",
  ".json": "application/json",
  ".txt": "text/plain; charset=utf-8",
};

export function readPage(folder: string): Page {
  const names = ifThere(() => readdirSync(folder, { recursive: true, withFileTypes: true })) ?? [];
  const files = new Map<string, PageFile>();
  for (const entry of names) {
    const type = TYPES[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const path = join(entry.parentPath, entry.name);
    const inPage = `/${relative(folder, path).split(sep).join("/")}`;
    const isImmutable = inPage.startsWith(ASSETS);
    files.set(inPage, { content: readFileSync(path), type, isImmutable });
  }
  return { index: files.get("/index.html"), files };
}
