// The package as npm gives it to people: packed, installed with its dependencies into an empty folder, and used there.

import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { plainEnv, root } from "../support/programs.ts";

const top = realpathSync(mkdtempSync(join(tmpdir(), "saga-packed-")));
const folder = join(top, "a folder, with spaces");
const home = join(top, "home");
const saga = join(folder, "node_modules/.bin/saga");
const installed = join(folder, "node_modules/@saga-run/saga");
let tarball = "";
let packed: Packed;

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

/** From what this machine has already, where it has it: a test waits for no network that it does not need. */
const npm = (cwd: string, ...words: string[]): string =>
  execFileSync("npm", [...words, "--prefer-offline", "--no-audit", "--no-fund"], {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });

const env = (): NodeJS.ProcessEnv => plainEnv(home, { IS_SANDBOX: "1" });
const run = (program: string, cwd: string, ...words: string[]) =>
  spawnSync(program, words, { cwd, encoding: "utf8", env: env() });

beforeAll(() => {
  for (const one of [folder, home]) mkdirSync(one);
  // Without its scripts: they would build again what other tests are using.
  const output = npm(root, "pack", "--json", "--ignore-scripts", "--pack-destination", top);
  [packed] = JSON.parse(output) as [Packed];
  tarball = join(top, packed.filename);
  npm(folder, "install", tarball);
}, 300_000);

afterAll(() => rmSync(top, { recursive: true, force: true }));

describe("the package", () => {
  it("has the size that the README says", () => {
    const text = readFileSync(join(root, "README.md"), "utf8").replaceAll("\n", " ");
    const sizes =
      /package is (?<packed>[\d.]+) MB, or (?<unpacked>[\d.]+) MB in (?<files>\d+) files unpacked/.exec(
        text,
      );
    const stated = Object.values(sizes?.groups ?? {}).map(Number);
    const real = [packed.size / 1e6, packed.unpackedSize / 1e6, packed.files.length];
    expect(stated).toHaveLength(3);
    for (const [at, most] of stated.entries()) {
      expect(real[at]).toBeLessThanOrEqual(most);
      expect(real[at]).toBeGreaterThan(most * 0.8);
    }
  });

  it("has the expected files and no others", () => {
    const paths = packed.files.map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining(["LICENSE", "README.md", "CHANGELOG.md", "dist/THIRD-PARTY.txt"]),
    );
    expect(
      paths.filter((path) => /\.map$|\.tsx?$|(?:^|\/)(?:src|test|bench)\//.test(path)),
    ).toEqual(paths.filter((path) => path.endsWith(".d.ts")));
    const fonts = paths.filter((path) => path.endsWith(".woff2"));
    expect(new Set(fonts.map((path) => path.replace(/-[\w-]{8}\.woff2$/, "")))).toHaveLength(
      fonts.length,
    );
  });
});

describe("installed into an empty folder", () => {
  it("prints its version, and what the machine lacks", () => {
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      version: string;
    };
    expect(run(saga, folder, "--version").stdout).toBe(`${version}\n`);
    const { diagnoses } = JSON.parse(run(saga, folder, "doctor", "--json").stdout) as {
      diagnoses: { name: string; verdict: string }[];
    };
    const verdicts = new Map(diagnoses.map(({ name, verdict }) => [name, verdict]));
    expect(verdicts.get("node")).toBe("ok");
    expect(verdicts.get("claude")).toBe("ok");
    expect(verdicts.get("project")).toBe("fail");
  });

  it("runs the whole demo, and leaves nothing in the folder", () => {
    const { status, stdout, stderr } = run(saga, folder, "demo");
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.any(String) as string });
    expect(stdout).toMatch(/Four stories, from plan to merged, in \d+ s\./);
    // Only the tasks' commits arrive.
    expect(stdout).not.toContain("Start story");
    expect(readdirSync(folder).toSorted()).toEqual([
      "node_modules",
      "package-lock.json",
      "package.json",
    ]);
  }, 180_000);

  it("serves the dashboard's page from the package", async () => {
    const project = newRepository("served");
    expect(run(saga, project, "init").status).toBe(0);
    const child = spawn(saga, ["dashboard", "--json"], { cwd: project, env: env() });
    const ended = new Promise<number | null>((done) => child.on("exit", done));
    onTestFinished(() => void child.kill("SIGKILL"));
    let text = "";
    for await (const line of createInterface(child.stdout)) {
      text += line;
      if (line === "}") break;
    }
    const { address } = JSON.parse(text) as { address: string };
    const entry = await fetch(address, { redirect: "manual" });
    const cookie = entry.headers
      .getSetCookie()
      .map((one) => one.split(";")[0])
      .join("; ");
    const page = await fetch(new URL("/", address), { headers: { cookie } });
    const html = await page.text();
    expect(html).toContain("<!doctype html>");
    const script = /src="(?<path>\/assets\/[^"]+\.js)"/.exec(html)?.groups?.["path"] ?? "";
    expect(existsSync(join(installed, "dist/dashboard", script))).toBe(true);
    const loaded = await fetch(new URL(script, address), { headers: { cookie } });
    expect(loaded.status).toBe(200);
    child.kill("SIGINT");
    expect(await ended).toBe(0);
  });

  it("finds its plugin for Claude Code", () => {
    const project = newRepository("with-plugin");
    const { status, stderr } = run(saga, project, "init", "--claude");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const settings = readFileSync(join(project, ".claude/settings.json"), "utf8");
    expect(settings).toContain("saga@saga-run");
    const known = readFileSync(join(home, ".claude/plugins/known_marketplaces.json"), "utf8");
    expect(known).toContain(JSON.stringify(installed));
  });

  it("gives its types to TypeScript, and their modules to Node", () => {
    writeFileSync(
      join(folder, "use.mts"),
      `import { taskSchema, type Story } from "@saga-run/saga/types";
       const title = (story: Story): string => story.title;
       console.log(taskSchema.parse({ id: "a", subject: "b", description: "c" }).status, typeof title);`,
    );
    onTestFinished(() => {
      for (const name of ["use.mts", "use.mjs"]) rmSync(join(folder, name), { force: true });
    });
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    const options = [
      "--module",
      "nodenext",
      "--strict",
      "--lib",
      "es2023,dom",
      "--types",
      "",
      "use.mts",
    ];
    const compiled = run(process.execPath, folder, compiler, ...options);
    expect(compiled).toMatchObject({ status: 0, stdout: "" });
    expect(run(process.execPath, folder, "use.mjs").stdout).toBe("pending function\n");
  });
});

it("installed globally, it runs through a link to a link, and uninstalls without a trace", () => {
  const prefix = join(top, "glob al");
  // Claude Code is there already, and large.
  npm(top, "install", "--global", "--omit=optional", "--prefix", prefix, tarball);
  const link = join(top, "saga, linked");
  symlinkSync(join(prefix, "bin/saga"), link);
  const project = newRepository("elsewhere");
  expect(run(link, project, "init").status).toBe(0);
  expect(run(link, project, "list").stdout).toContain("No stories yet.");
  npm(top, "uninstall", "--global", "--prefix", prefix, "@saga-run/saga");
  expect(existsSync(join(prefix, "bin/saga"))).toBe(false);
  const left = readdirSync(join(prefix, "lib/node_modules"), { recursive: true, encoding: "utf8" });
  // The empty folder of a scope is npm's to remove, and it does not.
  expect(left.filter((name) => name !== "@saga-run")).toEqual([]);
}, 180_000);

function newRepository(name: string): string {
  const path = join(top, name);
  mkdirSync(path);
  execFileSync("git", ["init", "-q"], { cwd: path });
  return path;
}
