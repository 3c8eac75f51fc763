import { describe, expect, it } from "vitest";
import { parseChanges, parseCommitChanges, sideOf } from "./diff-list.ts";

const NONE = "0000000000000000000000000000000000000000";
const ONE = "257cc5642cb1a054f08cc83f2d943e56fd3ebe99";
const TWO = "5716ca5987cbf97d6bb54920bea6adde242d87e6";

/** As git prints it: every word ends with NUL. */
const output = (...words: readonly string[]): string => words.map((word) => `${word}\0`).join("");

const file = (id: string, isExecutable = false) => ({ id, kind: "file", isExecutable }) as const;

describe("git's list of changes", () => {
  it("has a file's versions and its lines", () => {
    const text = output(`:100644 100755 ${ONE} ${TWO} M`, "src/main.ts", "3\t1\tsrc/main.ts");
    expect(parseChanges(text)).toEqual([
      {
        path: "src/main.ts",
        status: "modified",
        from: undefined,
        before: file(ONE),
        after: file(TWO, true),
        isBinary: false,
        addedLines: 3,
        deletedLines: 1,
      },
    ]);
  });

  it("has both names of a renamed file, and nothing before a new one", () => {
    const text = output(
      `:000000 100644 ${NONE} ${ONE} A`,
      "new",
      `:100644 100644 ${ONE} ${TWO} R087`,
      "old name",
      "new name",
      "1\t0\tnew",
      "2\t2\t",
      "old name",
      "new name",
    );
    expect(parseChanges(text)).toMatchObject([
      { path: "new", status: "added", before: undefined },
      { path: "new name", status: "renamed", from: "old name", addedLines: 2 },
    ]);
  });

  it("counts no lines of a binary file", () => {
    const text = output(`:100644 000000 ${ONE} ${NONE} D`, "logo.png", "-\t-\tlogo.png");
    expect(parseChanges(text)).toMatchObject([
      { status: "deleted", after: undefined, isBinary: true, addedLines: 0, deletedLines: 0 },
    ]);
  });

  it("reads names with tabs and line breaks", () => {
    const name = "a\tb\nc";
    const text = output(`:100644 100644 ${ONE} ${TWO} M`, name, `1\t1\t${name}`);
    expect(parseChanges(text)).toMatchObject([{ path: name, addedLines: 1 }]);
  });

  it.each([
    ["ends before the line counts", output(`:100644 100644 ${ONE} ${TWO} M`, "one")],
    ["ends within a change", `:100644 100644 ${ONE.slice(0, 9)}`],
    ["has a count for another file", output(`:100644 100644 ${ONE} ${TWO} M`, "one", "1\t1\ttwo")],
    ["has words left over", output(`:100644 100644 ${ONE} ${TWO} M`, "one", "1\t1\tone", "two")],
    ["has an unknown kind of change", output(`:100644 100644 ${ONE} ${TWO} X`, "one", "1\t1\tone")],
  ])("is no list if it %s: what is missing would not be judged", (_, text) => {
    expect(parseChanges(text)).toBeUndefined();
  });

  it("is empty without changes", () => {
    expect(parseChanges("")).toEqual([]);
  });
});

describe("the changes of several commits", () => {
  const change = [`:100644 100644 ${ONE} ${TWO} M`, "one", "1\t1\tone"];

  it("are those of each commit, also of one without changes", () => {
    const text = output("c1", ...change, "c2", "c3", ...change);
    const found = parseCommitChanges(text, ["c1", "c2", "c3"]);
    expect(found?.map(({ commit, path }) => [commit, path])).toEqual([
      ["c1", "one"],
      ["c3", "one"],
    ]);
  });

  it("are unknown if a commit is missing from the output", () => {
    expect(parseCommitChanges(output("c1", ...change), ["c1", "c2"])).toBeUndefined();
    expect(parseCommitChanges(output("c2", ...change), ["c1"])).toBeUndefined();
  });
});

it("tells files, links and submodules apart by their mode", () => {
  expect(sideOf("000000", NONE)).toBeUndefined();
  expect(sideOf("100644", ONE)).toEqual(file(ONE));
  expect(sideOf("100755", ONE)).toEqual(file(ONE, true));
  expect(sideOf("120000", ONE)).toEqual({ id: ONE, kind: "link", isExecutable: false });
  expect(sideOf("160000", ONE)).toEqual({ id: ONE, kind: "submodule", isExecutable: false });
});
