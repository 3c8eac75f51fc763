// Copies by the bytes of names: Node's `cp` reads them as UTF-8 and fails on others.

import { constants } from "node:fs";
import {
  chmod,
  copyFile,
  lstat,
  mkdir,
  readdir,
  readlink,
  symlink,
  utimes,
} from "node:fs/promises";
import { sep } from "node:path";

/** Copies a file or a folder. Links are not followed; pipes, sockets and devices are skipped. Returns whether anything was copied. */
export async function copyTree(from: string | Buffer, to: string | Buffer): Promise<boolean> {
  const entry = await lstat(from);
  if (entry.isSymbolicLink()) {
    await symlink(await readlink(from, { encoding: "buffer" }), to);
  } else if (entry.isDirectory()) {
    // A read-only folder could not be filled: its own mode comes last.
    await mkdir(to, { mode: 0o700 });
    for (const name of await readdir(from, { encoding: "buffer" })) {
      await copyTree(below(from, name), below(to, name));
    }
    await chmod(to, entry.mode);
    await utimes(to, entry.atime, entry.mtime);
  } else if (entry.isFile()) {
    // FICLONE: file systems that can share blocks copy for free.
    await copyFile(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
    await utimes(to, entry.atime, entry.mtime);
  } else return false;
  return true;
}

const below = (folder: string | Buffer, name: Buffer): Buffer =>
  Buffer.concat([Buffer.from(folder), Buffer.from(sep), name]);
