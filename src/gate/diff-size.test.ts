import { describe, expect, it } from "vitest";
import {
  OWN,
  aChange,
  deleted,
  renamed,
  many,
  judge,
  rulesOf,
} from "../../test/support/judged-diff.ts";
import type { DiffEntry } from "../repo/diff/changes.ts";

describe("deletions", () => {
  it("are limited in number", () => {
    expect(judge(many(20, deleted))).toEqual([]);
    expect(judge(many(21, deleted))).toEqual([
      {
        rule: "deletions",
        key: "max_deleted_files",
        message: "21 files are deleted; maximum: 20 (`gate.max_deleted_files`).",
      },
    ]);
  });

  it("are limited as a share of all files, from five deletions on", () => {
    expect(judge(many(15, deleted), { filesBefore: 50 })).toEqual([]);
    expect(judge(many(16, deleted), { filesBefore: 50 })).toEqual([
      {
        rule: "deletions",
        key: "max_deleted_percent",
        message:
          "32 % of all files are deleted (16 of 50); maximum: 30 (`gate.max_deleted_percent`).",
      },
    ]);
    expect(judge(many(4, deleted), { filesBefore: 4 })).toEqual([]);
    expect(judge(many(5, deleted), { filesBefore: 5 })).toHaveLength(1);
  });

  it("do not include renames and the story's own files", () => {
    expect(judge(many(40, (path) => renamed(`old/${path}`, path)))).toEqual([]);
    expect(judge(many(40, (path) => deleted(`${OWN}/${path}`)))).toEqual([]);
  });

  it("may be forbidden", () => {
    expect(rulesOf([deleted("a")], { limits: { maxDeletedFiles: 0 } })).toEqual([
      ["deletions", undefined],
    ]);
  });
});

describe("binary files", () => {
  const binary = (path: string, kb: number): DiffEntry =>
    aChange(path, { isBinary: true, bytes: kb * 1024, addedLines: 0, deletedLines: 0 });

  it("are reported when one is too large", () => {
    expect(judge([binary("a", 1024), aChange("text", { bytes: 2_000_000 })])).toEqual([]);
    expect(judge([binary("a", 1025), binary("b", 1)])).toEqual([
      {
        rule: "binary",
        file: "a",
        key: "max_binary_kb",
        message: "The file is binary and has 1025 kB; maximum: 1024 (`gate.max_binary_kb`).",
      },
    ]);
  });

  it("are limited in total", () => {
    expect(judge([binary("a", 600), binary("b", 600)])).toEqual([
      {
        rule: "binary",
        key: "max_binary_kb",
        message: "2 binary files have 1200 kB together; maximum: 1024 (`gate.max_binary_kb`).",
      },
    ]);
  });

  it("may always be deleted", () => {
    expect(
      judge([{ ...deleted("a"), isBinary: true, bytes: 0 }], { limits: { maxBinaryKb: 0 } }),
    ).toEqual([]);
  });
});

describe("the size", () => {
  it("is limited in files", () => {
    expect(judge(many(100, aChange))).toEqual([]);
    expect(judge(many(101, aChange))).toEqual([
      {
        rule: "size",
        key: "max_files",
        message: "101 files are changed; maximum: 100 (`gate.max_files`).",
      },
    ]);
  });

  it("is limited in lines", () => {
    const lines = (addedLines: number, deletedLines: number): DiffEntry =>
      aChange("a", { addedLines, deletedLines });
    expect(judge([lines(4000, 1000)])).toEqual([]);
    expect(judge([lines(4000, 1001)])).toEqual([
      {
        rule: "size",
        key: "max_lines",
        message: "5001 lines are changed; maximum: 5000 (`gate.max_lines`).",
      },
    ]);
  });

  it("ignores lock files, deleted files and Saga's own files", () => {
    const addedLines = 9000;
    const paths = [
      "package-lock.json",
      "web/yarn.lock",
      "go.sum",
      "crates/a/Cargo.lock",
      `${OWN}/x`,
    ];
    expect(judge(paths.map((path) => aChange(path, { addedLines })))).toEqual([]);
    expect(judge([{ ...deleted("a"), deletedLines: 9000 }])).toEqual([]);
    expect(judge([aChange("my-yarn.lock.ts", { addedLines })])).toHaveLength(1);
    expect(judge(many(101, (path) => aChange(`${OWN}/${path}`)))).toEqual([]);
  });
});

describe("text that is too large to be searched for secrets", () => {
  const large = aChange("dump.sql", { bytes: 12_000_000 });
  it("is reported unless the search is off", () => {
    expect(judge([large])).toEqual([
      {
        rule: "secret",
        file: "dump.sql",
        key: "unsearched",
        message: "The file is too large to be searched for secrets (12 MB of text).",
      },
    ]);
    expect(judge([large], { limits: { secrets: false } })).toEqual([]);
  });
});
