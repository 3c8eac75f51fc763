import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { bundle, runNode } from "../../../test/support/programs.ts";
import { findReceiptKey, makeReceiptKey, receiptKeyFile } from "./receipt-key.ts";

const newHome = () => ({ HOME: newFolder("home").path });

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe("the receipt key", () => {
  it("is created once, by the first writer, and only this user can read it", () => {
    const env = newHome();
    expect(findReceiptKey(env)).toEqual({ key: undefined, problem: undefined });
    expect(readdirSync(env.HOME)).toEqual([]);
    const { key } = makeReceiptKey(env);
    expect(key).toHaveLength(32);
    expect(findReceiptKey(env).key).toEqual(key);
    expect(makeReceiptKey(env).key).toEqual(key);
    const file = receiptKeyFile(env);
    expect(file).toBe(join(env.HOME, ".local/state/saga/receipt-key"));
    expect([modeOf(file), modeOf(dirname(file))]).toEqual(["600", "700"]);
    expect(makeReceiptKey(newHome()).key).not.toEqual(key);
  });

  it("is the same for several processes that create it at once, and leaves no temporary file", async () => {
    const { path } = newFolder("states");
    const program = await bundle("test/support/processes/key-maker.ts");
    const makers = Array.from({ length: 4 }, () => runNode([program, path, "100"], { cwd: path }));
    const got = (await Promise.all(makers)).map(({ stdout }) => JSON.parse(stdout) as string[]);
    expect(new Set(got[0]).size).toBe(100);
    for (const keys of got) expect(keys).toEqual(got[0]);
    for (const name of readdirSync(path)) {
      expect(readdirSync(join(path, name, "saga"))).toEqual(["receipt-key"]);
    }
  });

  it("closes a folder that was open to others", () => {
    const env = newHome();
    const folder = dirname(receiptKeyFile(env));
    mkdirSync(folder, { recursive: true, mode: 0o755 });
    expect(makeReceiptKey(env).problem).toBeUndefined();
    expect(modeOf(folder)).toBe("700");
  });

  it.each([
    ["is open to other users", (file: string) => chmodSync(file, 0o640)],
    ["is not a key", (file: string) => writeFileSync(file, "short", { mode: 0o600 })],
  ])("is refused when it %s", (what, spoil) => {
    const env = newHome();
    const file = receiptKeyFile(env);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, "x".repeat(32), { mode: 0o600 });
    spoil(file);
    for (const read of [findReceiptKey, makeReceiptKey]) {
      const { key, problem } = read(env);
      expect(key).toBeUndefined();
      expect(problem).toContain(what);
    }
  });

  it("is refused when it is a link or belongs to another user", () => {
    const env = newHome();
    const file = receiptKeyFile(env);
    mkdirSync(dirname(file), { recursive: true });
    symlinkSync(receiptKeyFile(newHome()), file);
    expect(makeReceiptKey(env).problem).toContain("is a link");
    const stranger = (process.getuid?.() ?? 0) + 1;
    const other = newHome();
    expect(makeReceiptKey(other, stranger).problem).toContain("belongs to another user");
    writeFileSync(receiptKeyFile(other), "x".repeat(32), { mode: 0o600 });
    expect(findReceiptKey(other, stranger).problem).toContain("belongs to another user");
  });

  it("is missing where it cannot be written, with the reason", () => {
    const home = newFolder("home");
    home.write(".local", "a file");
    const { key, problem } = makeReceiptKey({ HOME: home.path });
    expect(key).toBeUndefined();
    expect(problem).toContain(".local");
  });
});
