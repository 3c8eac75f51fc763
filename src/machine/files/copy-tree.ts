// A file or a folder with everything in it, copied by the bytes of its names. Node's own `cp` reads names as UTF-8, and
// fails at a file whose name is not.

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

type Path = string | Buffer;

/** Links stay as they are. Pipes, sockets and devices are left out. Answers whether anything was copied. */
export async function copyTree(from: Path, to: Path): Promise<boolean> {
  const entry = await lstat(from);
  if (entry.isSymbolicLink()) {
    await symlink(await readlink(from, { encoding: "buffer" }), to);
  } else if (entry.isDirectory()) {
    // Writable until it is filled.
    await mkdir(to, { mode: 0o700 });
    for (const name of await readdir(from, { encoding: "buffer" })) {
      await copyTree(below(from, name), below(to, name));
    }
    await chmod(to, entry.mode);
    await utimes(to, entry.atime, entry.mtime);
  } else if (entry.isFile()) {
    // A disk that can share blocks copies at no cost.
    await copyFile(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
    await utimes(to, entry.atime, entry.mtime);
  } else return false;
  return true;
}

const below = (folder: Path, name: Buffer): Buffer =>
  Buffer.concat([Buffer.from(folder), Buffer.from(sep), name]);
