import { describe, expect, it } from "vitest";
import type { Change, Changes, Side } from "../repo/changes.ts";
import { configSchema, settingsOf, type Settings } from "../story/settings.ts";
import { judgeDiff, type DiffRules } from "./diff.ts";

const FILE: Side = { id: "1".repeat(40), kind: "file", isExecutable: false };
const LINK: Side = { ...FILE, kind: "link" };
const SUBMODULE: Side = { ...FILE, kind: "submodule" };
const OWN = ".saga/stories/add-login";

const aChange = (path: string, more: Partial<Change> = {}): Change => ({
  path,
  status: "modified",
  from: undefined,
  addedLines: 1,
  deletedLines: 1,
  isBinary: false,
  bytes: 10,
  before: FILE,
  after: FILE,
  linkTarget: undefined,
  ...more,
});
const deleted = (path: string): Change => aChange(path, { status: "deleted", after: undefined });
const renamed = (from: string, path: string): Change => aChange(path, { status: "renamed", from });
const many = (count: number, make: (path: string) => Change): Change[] =>
  Array.from({ length: count }, (_, i) => make(`src/${i}.ts`));

const DEFAULTS = settingsOf(configSchema.parse({})).gate;

interface Given {
  readonly writeFiles?: readonly string[] | undefined;
  readonly bounds?: DiffRules["bounds"];
  readonly limits?: Partial<Settings["gate"]>;
  readonly filesBefore?: number;
}

function judge(files: readonly Change[], given: Given = {}) {
  const changes: Changes = { files, filesBefore: given.filesBefore ?? 1000 };
  const rules: DiffRules = {
    storyId: "add-login",
    writeFiles: given.writeFiles,
    bounds: given.bounds,
    limits: { ...DEFAULTS, ...given.limits },
  };
  return judgeDiff(changes, rules);
}
const rulesOf = (files: readonly Change[], given?: Given): unknown[] =>
  judge(files, given).map(({ rule, file }) => [rule, file]);

describe("the diff gate", () => {
  it("has nothing against ordinary work", () => {
    const files = [aChange("src/a.ts"), deleted("src/b.ts"), aChange(`${OWN}/journal.md`)];
    expect(judge(files)).toEqual([]);
    expect(judge(files, { writeFiles: ["src/**"] })).toEqual([]);
    expect(judge([])).toEqual([]);
  });

  it("says each thing in a sentence", () => {
    const files = [
      aChange(".mcp.json"),
      aChange(".saga/epics.json"),
      aChange("b", { status: "added" }),
      aChange("l", { after: LINK, linkTarget: "/etc" }),
      aChange("m", { after: SUBMODULE }),
      aChange("n", { isBinary: true, bytes: 5_000_000 }),
      aChange("o", { bytes: 50_000_000 }),
      ...many(101, deleted),
    ];
    const findings = judge(files, { writeFiles: ["**"] });
    expect(findings.length).toBeGreaterThan(7);
    for (const { message } of findings) expect(message).toMatch(/^[A-Z0-9].*\.$/);
  });
});

describe("protected files", () => {
  it.each([
    ".saga/config.toml",
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".claude/hooks/check.sh",
    ".mcp.json",
    ".github/workflows/deep/ci.yml",
    ".GitHub/Workflows/ci.yml",
    ".github/workflows/ci\n.yml",
  ])("are %j, unless the project says otherwise", (path) => {
    expect(rulesOf([aChange(path)])).toEqual([["protected", path]]);
    expect(rulesOf([deleted(path)])).toEqual([["protected", path]]);
    expect(rulesOf([aChange(path)], { writeFiles: ["**"] })).toEqual([["protected", path]]);
    expect(rulesOf([aChange(path)], { limits: { protected: [] } })).toEqual(
      path.startsWith(".saga") ? [["saga", path]] : [],
    );
  });

  it("are what the project says", () => {
    const limits = { protected: ["LICENSE", "db/**", "!db/notes/**"] };
    expect(
      rulesOf([aChange("LICENSE"), aChange("db/notes/a"), aChange("db/1.sql"), aChange("a")], {
        limits,
      }),
    ).toEqual([
      ["protected", "LICENSE"],
      ["protected", "db/1.sql"],
    ]);
  });

  it("may not be renamed, nor be what another is renamed to", () => {
    expect(judge([renamed(".mcp.json", "x"), renamed("y", ".github/workflows/y")])).toEqual([
      {
        rule: "protected",
        file: ".mcp.json",
        message: "It is protected by `.mcp.json`, and was renamed.",
      },
      {
        rule: "protected",
        file: ".github/workflows/y",
        message: "It is protected by `.github/workflows/**`, and was put in the place of another.",
      },
    ]);
  });

  it("are not the story's own folder, whatever the globs say", () => {
    expect(judge([aChange(`${OWN}/story.json`)], { limits: { protected: [".saga/**"] } })).toEqual(
      [],
    );
  });
});

describe("files of Saga's", () => {
  it.each([
    ".saga/stories/add-logout/story.json",
    ".saga/stories/add-login-two/story.json",
    ".saga/stories/add-login",
    ".saga/epics.json",
    ".saga/archive/x/story.json",
    ".SAGA/stories/add-login/story.json",
    ".saga",
  ])("that are not this story's are left alone: %s", (path) => {
    expect(rulesOf([aChange(path)])).toEqual([["saga", path]]);
    expect(rulesOf([aChange(path)], { writeFiles: [".saga/**", ".SAGA/**"] })).toEqual([
      ["saga", path],
    ]);
  });

  it("that are this story's may change, but not go elsewhere", () => {
    expect(judge([aChange(`${OWN}/a.json`), renamed(`${OWN}/a`, `${OWN}/b`)])).toEqual([]);
    expect(rulesOf([renamed(`${OWN}/a`, ".saga/archive/a")])).toEqual([
      ["saga", ".saga/archive/a"],
    ]);
  });
});

describe("files that the story does not declare", () => {
  const given = { writeFiles: ["src/auth", "docs/*.md"] };
  it("are named, and those that it declares are not", () => {
    expect(
      judge([aChange("src/auth/a.ts"), aChange("docs/a.md"), deleted("src/b.ts")], given),
    ).toEqual([
      {
        rule: "undeclared",
        file: "src/b.ts",
        message: "It was deleted, and is not among the files that the story declares to write.",
      },
    ]);
  });

  it("are both sides of a rename", () => {
    expect(rulesOf([renamed("a", "b")], given)).toEqual([
      ["undeclared", "a"],
      ["undeclared", "b"],
    ]);
    expect(rulesOf([renamed("a", "src/auth/b")], given)).toEqual([["undeclared", "a"]]);
  });

  it("are all when it declares to write nothing, and none when it does not say", () => {
    expect(rulesOf([aChange("a")], { writeFiles: [] })).toEqual([["undeclared", "a"]]);
    expect(judge([aChange("a")])).toEqual([]);
  });
});

describe("links", () => {
  const link = (path: string, linkTarget: string): Change =>
    aChange(path, { after: LINK, linkTarget });
  it.each([
    ["a", "/etc/passwd"],
    ["a", ".."],
    ["a/b", "../.."],
    ["a/b/c", "../../../x"],
    ["a", "./../x"],
    ["a", "b/../../x"],
    ["a", "b/.."],
    ["a", "../project/../x"],
    ["a", ".git/config"],
    ["a/b", "../.GIT"],
  ])("%s to %s lead where they should not", (path, target) => {
    expect(rulesOf([link(path, target)])).toEqual([["symlink", path]]);
  });

  it.each([
    ["a", "b"],
    ["a", "."],
    ["a/b", ".."],
    ["a/b/c", "../../x/y"],
    ["a", "./b"],
    ["a", "..b/c"],
    ["a", ".github"],
    ["a", "b..c/...d"],
  ])("%s to %s stay inside", (path, target) => {
    expect(judge([link(path, target)])).toEqual([]);
  });

  it("are shown without what could move a cursor or end a line", () => {
    const [finding] = judge([link("a", `/x\n\u001b[2J\`\u202e${"y".repeat(200)}`)]);
    expect(finding?.message).toMatch(
      /^It is a link to a place on this machine alone: `\/x \[2J y+`\.$/,
    );
    expect(finding?.message.length).toBeLessThan(200);
  });
});

describe("submodules", () => {
  it("may not be added, also not in the place of a file", () => {
    expect(rulesOf([aChange("m", { before: undefined, after: SUBMODULE })])).toEqual([
      ["submodule", "m"],
    ]);
    expect(rulesOf([aChange("m", { after: SUBMODULE })])).toEqual([["submodule", "m"]]);
  });

  it("may be moved on, or taken away", () => {
    expect(judge([aChange("m", { before: SUBMODULE, after: SUBMODULE })])).toEqual([]);
    expect(judge([{ ...deleted("m"), before: SUBMODULE }])).toEqual([]);
  });
});

describe("deletions", () => {
  it("stay under their number", () => {
    expect(judge(many(20, deleted))).toEqual([]);
    expect(judge(many(21, deleted))).toEqual([
      {
        rule: "deletions",
        message: "21 files are deleted; the most is 20 (`gate.max_deleted_files`).",
      },
    ]);
  });

  it("stay under their part of all files, where there are enough to speak of one", () => {
    expect(judge(many(15, deleted), { filesBefore: 50 })).toEqual([]);
    expect(judge(many(16, deleted), { filesBefore: 50 })).toEqual([
      {
        rule: "deletions",
        message:
          "32 % of all files are deleted, 16 of 50; the most is 30 (`gate.max_deleted_percent`).",
      },
    ]);
    expect(judge(many(4, deleted), { filesBefore: 4 })).toEqual([]);
    expect(judge(many(5, deleted), { filesBefore: 5 })).toHaveLength(1);
  });

  it("are no renames, and nothing of the story's own", () => {
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
  const binary = (path: string, kb: number): Change =>
    aChange(path, { isBinary: true, bytes: kb * 1024, addedLines: 0, deletedLines: 0 });

  it("are named when they are too large", () => {
    expect(judge([binary("a", 1024), aChange("text", { bytes: 2_000_000 })])).toEqual([]);
    expect(judge([binary("a", 1025), binary("b", 1)])).toEqual([
      {
        rule: "binary",
        file: "a",
        message: "It is binary and weighs 1025 kB; the most is 1024 (`gate.max_binary_kb`).",
      },
    ]);
  });

  it("are counted together", () => {
    expect(judge([binary("a", 600), binary("b", 600)])).toEqual([
      {
        rule: "binary",
        message: "2 binary files weigh 1200 kB together; the most is 1024 (`gate.max_binary_kb`).",
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
      { rule: "size", message: "101 files are changed; the most is 100 (`gate.max_files`)." },
    ]);
  });

  it("is limited in lines", () => {
    const lines = (addedLines: number, deletedLines: number): Change =>
      aChange("a", { addedLines, deletedLines });
    expect(judge([lines(4000, 1000)])).toEqual([]);
    expect(judge([lines(4000, 1001)])).toEqual([
      { rule: "size", message: "5001 lines are changed; the most is 5000 (`gate.max_lines`)." },
    ]);
  });

  it("leaves out what package managers write, what is deleted, and what is Saga's", () => {
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
  it("is named, while secrets are searched for", () => {
    expect(judge([large])).toEqual([
      {
        rule: "secret",
        file: "dump.sql",
        message: "It is too large to be searched for secrets: 12 MB of text.",
      },
    ]);
    expect(judge([large], { limits: { secrets: false } })).toEqual([]);
  });
});

describe("what a story declared when it began", () => {
  const files = [aChange("a"), aChange("b")];

  it("binds what it and its tasks declare now, and is bound by it", () => {
    const undeclared = [["undeclared", "b"]];
    expect(rulesOf(files, { writeFiles: ["**"], bounds: [["a"]] })).toEqual(undeclared);
    expect(rulesOf(files, { writeFiles: undefined, bounds: [["a"]] })).toEqual(undeclared);
    expect(rulesOf(files, { writeFiles: ["a"], bounds: [["a", "b"]] })).toEqual(undeclared);
  });

  it("may be in one of several versions", () => {
    expect(rulesOf(files, { writeFiles: ["a", "b"], bounds: [["a"], ["b"]] })).toEqual([]);
  });
});
