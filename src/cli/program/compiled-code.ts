// V8's compiled code of the program's large files, kept between runs: loading it takes a third of the time of compiling
// them. Node 22.8 and newer do this themselves. It is in the user's state folder, which is closed to others and to the
// sandbox of an agent, because what is in it is run.

import { createHash } from "node:crypto";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import nodeModule from "node:module";
import { basename, dirname, join } from "node:path";
import { Script } from "node:vm";
import { stateFolder } from "../../machine/files/state-folder.ts";
import type { Environment } from "../../machine/processes/environment.ts";

interface CompiledCode {
  /** The folder of the files that are worth it. */
  readonly program: string;
  /** Different commands run different functions: only those that ran before are in there. */
  readonly variant: string;
  readonly env: Environment;
}

/** Any problem with it means that the code is compiled as usual. */
export function keepCompiledCode({ program, variant, env }: CompiledCode): void {
  const folder = join(stateFolder(env), "compiled");
  const { enableCompileCache } = nodeModule as { enableCompileCache?: (folder: string) => void };
  if (enableCompileCache === undefined) compileWith(folder, program, variant);
  else if (isPrivate(dirname(folder))) enableCompileCache(folder);
}

/** Not before it exists: the first command that has something to keep there creates it. */
function isPrivate(folder: string): boolean {
  try {
    const { uid, mode } = statSync(folder);
    return uid === process.getuid?.() && (mode & 0o077) === 0;
  } catch {
    return false;
  }
}

type Compile = (this: NodeModule, text: string, file: string) => unknown;

const WORTHWHILE_LENGTH = 50_000;

/** Such code cannot import: `scripts/build.mjs` makes it require. */
function compileWith(folder: string, program: string, variant: string): void {
  const { prototype } = nodeModule as unknown as { prototype: { _compile: Compile } };
  const { _compile: compile } = prototype;
  const load: Compile = function (text, file) {
    if (dirname(file) !== program || text.length < WORTHWHILE_LENGTH) {
      return compile.call(this, text, file);
    }
    const kept = join(folder, nameOf(file, variant));
    const cachedData = readKept(kept);
    const source = nodeModule.wrap(text);
    const script = new Script(source, { filename: file, ...(cachedData && { cachedData }) });
    if (!cachedData || script.cachedDataRejected) {
      // At the end, when all that it needed is compiled.
      process.once("exit", () => keep(script, kept));
    }
    const run = script.runInThisContext() as (...given: unknown[]) => unknown;
    const require = nodeModule.createRequire(file);
    return run.call(this.exports, this.exports, require, this, file, program);
  };
  Object.assign(prototype, { _compile: load });
}

/** V8 compares no more than the length of the source: a changed file must have another name. */
function nameOf(file: string, variant: string): string {
  const { dev, ino, size, mtimeNs, ctimeNs } = statSync(file, { bigint: true });
  const identity = [process.version, process.arch, dev, ino, size, mtimeNs, ctimeNs].join("/");
  const hash = createHash("sha256").update(identity).digest("hex").slice(0, 16);
  return `${basename(file, ".cjs")}.${variant}.${hash}`;
}

const HASH_BYTES = 32;
const hashOf = (data: Buffer): Buffer => createHash("sha256").update(data).digest();

/** V8 does not notice damage, and crashes later. */
function readKept(file: string): Buffer | undefined {
  try {
    if (!isPrivate(dirname(dirname(file)))) return undefined;
    const bytes = readFileSync(file);
    const data = bytes.subarray(HASH_BYTES);
    return hashOf(data).equals(bytes.subarray(0, HASH_BYTES)) ? data : undefined;
  } catch {
    return undefined;
  }
}

/** Replaces that of an earlier version. It may get lost: it is made again then. */
function keep(script: Script, file: string): void {
  const folder = dirname(file);
  const [name = "", variant = ""] = basename(file).split(".");
  const temporary = `${file}.${process.pid}`;
  if (!isPrivate(dirname(folder))) return;
  try {
    const data = script.createCachedData();
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const other of readdirSync(folder)) {
      if (other.startsWith(`${name}.${variant}.`)) rmSync(join(folder, other), { force: true });
    }
    writeFileSync(temporary, Buffer.concat([hashOf(data), data]), { mode: 0o600 });
    renameSync(temporary, file);
  } catch {
    // On a full disk, for example.
    rmSync(temporary, { force: true });
  }
}
