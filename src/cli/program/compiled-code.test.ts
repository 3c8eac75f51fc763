import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import nodeModule from "node:module";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bundle, runNode } from "../../../test/support/programs.ts";
import { newFolder } from "../../../test/support/project.ts";

interface Place {
  readonly program: string;
  readonly compiled: string;
  /** The output of a process that loads `large.cjs`. */
  readonly run: () => Promise<string>;
}

const LARGE = `// ${"x".repeat(60_000)}\n`;

function newPlace(): Place {
  const { path } = newFolder();
  const program = join(path, "program");
  const state = join(path, "state/saga");
  mkdirSync(program);
  mkdirSync(state, { recursive: true, mode: 0o700 });
  writeText(program, 'exports.say = () => "first";');
  return {
    program,
    compiled: join(state, "compiled"),
    run: async () => {
      const loader = await bundle("test/support/processes/load-compiled.ts");
      const env = { PATH: process.env["PATH"], XDG_STATE_HOME: join(path, "state") };
      const ended = await runNode([loader, program], { cwd: path, env });
      expect(ended.stderr).toBe("");
      return ended.stdout;
    },
  };
}

const writeText = (program: string, text: string): void =>
  writeFileSync(join(program, "large.cjs"), `${LARGE}${text}`);

/** The only file in there, with the time of its last change. */
function keptIn(compiled: string): { readonly path: string; readonly changed: number } {
  const names = readdirSync(compiled);
  expect(names).toHaveLength(1);
  const path = join(compiled, names[0] ?? "");
  return { path, changed: statSync(path).ctimeMs };
}

it("the first run keeps compiled code, and the next one does the same with it", async () => {
  const { compiled, run } = newPlace();
  expect(await run()).toBe("first");
  expect(readdirSync(compiled)).not.toEqual([]);
  expect(await run()).toBe("first");
});

it("nothing is kept in a folder that is open to others, and nothing from there is run", async () => {
  const { compiled, run } = newPlace();
  chmodSync(join(compiled, ".."), 0o755);
  expect(await run()).toBe("first");
  expect(existsSync(compiled)).toBe(false);
});

// Newer versions of Node keep it themselves.
describe.skipIf("enableCompileCache" in nodeModule)("compiled code", () => {
  it("is written once, and only for the user", async () => {
    const { compiled, run } = newPlace();
    await run();
    const first = keptIn(compiled);
    expect(statSync(first.path).mode & 0o077).toBe(0);
    await run();
    expect(keptIn(compiled)).toEqual(first);
  });

  it("of a file that was changed is replaced, also when its length is the same", async () => {
    const { program, compiled, run } = newPlace();
    await run();
    const first = keptIn(compiled);
    writeText(program, 'exports.say = () => "other";');
    expect(await run()).toBe("other");
    expect(keptIn(compiled).path).not.toBe(first.path);
  });

  it("that is damaged is replaced, and not run", async () => {
    const { compiled, run } = newPlace();
    await run();
    const { path, changed } = keptIn(compiled);
    const bytes = readFileSync(path);
    for (const at of [40, bytes.length >> 1, bytes.length - 20]) {
      writeFileSync(
        path,
        bytes.map((byte, index) => (index === at ? byte ^ 255 : byte)),
      );
      expect(await run()).toBe("first");
      expect(readFileSync(path)).toHaveLength(bytes.length);
    }
    writeFileSync(path, bytes.subarray(0, 1000));
    expect(await run()).toBe("first");
    expect(keptIn(compiled).changed).toBeGreaterThan(changed);
  });
});
