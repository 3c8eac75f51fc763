import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { copyTree } from "./copy-tree.ts";
import {
  decodeBytes,
  diskPath,
  encodeBytes,
  listRawNames,
  rawCommand,
  shownPath,
} from "./raw-bytes.ts";
import { removeTree } from "./remove-tree.ts";
import { run } from "../processes/run.ts";

const bytes = (text: string): Buffer => Buffer.from(encodeBytes(text));

describe("bytes in a string", () => {
  it.each([
    ["plain text", Buffer.from("plain é 漢 🚀\n")],
    ["a latin-1 name", Buffer.from("caf\xe9.txt", "latin1")],
    ["every byte there is", Buffer.from(Array.from({ length: 256 }, (_, at) => at))],
    ["a sequence that is cut off", Buffer.from([0x61, 0xf0, 0x9f, 0x9a])],
    ["an encoded surrogate", Buffer.from([0xed, 0xb3, 0xa9])],
    ["valid text around it", Buffer.concat([Buffer.from("é"), Buffer.of(0xe9), Buffer.from("é")])],
  ])("are restored: %s", (_, given) => {
    expect(bytes(decodeBytes(given))).toEqual(given);
  });

  it("stay plain text where they are UTF-8", () => {
    expect(decodeBytes(Buffer.from("é🚀"))).toBe("é🚀");
    expect(encodeBytes("é🚀")).toBe("é🚀");
  });

  it("are shown as git shows them", () => {
    expect(shownPath(decodeBytes(Buffer.from("caf\xe9.txt", "latin1")))).toBe("caf\\351.txt");
  });

  it("reach a program as one argument", async () => {
    const word = `it's $HOME\n${decodeBytes(Buffer.of(0xe9))}%s\\n`;
    const [program, args] = rawCommand("printf", ["%s|", word, "second"]);
    const env = { PATH: process.env["PATH"] };
    const result = await run(program, args, { env, timeoutMs: 10_000, decode: decodeBytes });
    expect(result).toMatchObject({ exitCode: 0, stdout: `${word}|second|` });
  });
});

describe("a folder with names that are not UTF-8", () => {
  it("is copied and removed completely", async () => {
    const { path } = newFolder("names");
    const latin = decodeBytes(Buffer.from("caf\xe9", "latin1"));
    mkdirSync(diskPath(join(path, "from", latin)), { recursive: true });
    writeFileSync(diskPath(join(path, "from", latin, latin)), "content");
    await copyTree(join(path, "from"), join(path, "to"));
    expect(listRawNames(join(path, "to", latin))).toEqual([latin]);
    removeTree(join(path, "from"));
    removeTree(join(path, "to"));
    removeTree(join(path, "to"));
    expect(readdirSync(path)).toEqual([]);
  });
});
