import { describe, expect, it } from "vitest";
import {
  FILE,
  OWN,
  aChange,
  deleted,
  renamed,
  many,
  judge,
  rulesOf,
} from "../../test/support/judged-diff.ts";
import type { DiffEntry, FileVersion } from "../repo/diff/changes.ts";

const LINK: FileVersion = { ...FILE, kind: "link" };

const SUBMODULE: FileVersion = { ...FILE, kind: "submodule" };

describe("the diff gate", () => {
  it("finds nothing in ordinary work", () => {
    const files = [aChange("src/a.ts"), deleted("src/b.ts"), aChange(`${OWN}/journal.md`)];
    expect(judge(files)).toEqual([]);
    expect(judge(files, { writeFiles: ["src/**"] })).toEqual([]);
    expect(judge([])).toEqual([]);
  });

  it("describes each finding in a sentence", () => {
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
  ])("are %j by default", (path) => {
    expect(rulesOf([aChange(path)])).toEqual([["protected", path]]);
    expect(rulesOf([deleted(path)])).toEqual([["protected", path]]);
    expect(rulesOf([aChange(path)], { writeFiles: ["**"] })).toEqual([["protected", path]]);
    expect(rulesOf([aChange(path)], { limits: { protected: [] } })).toEqual(
      path.startsWith(".saga") ? [["saga", path]] : [],
    );
  });

  it("are set by the project", () => {
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

  it("may not be renamed or replaced by a rename", () => {
    expect(judge([renamed(".mcp.json", "x"), renamed("y", ".github/workflows/y")])).toEqual([
      {
        rule: "protected",
        file: ".mcp.json",
        key: "renamed .mcp.json",
        message: "The file was renamed, but is protected by `.mcp.json` (`gate.protected`).",
      },
      {
        rule: "protected",
        file: ".github/workflows/y",
        key: "renamed-onto .github/workflows/**",
        message:
          "The file was created by a rename, but is protected by `.github/workflows/**` (`gate.protected`).",
      },
    ]);
  });

  it("never include the story's own folder", () => {
    expect(judge([aChange(`${OWN}/story.json`)], { limits: { protected: [".saga/**"] } })).toEqual(
      [],
    );
  });
});

describe("Saga's files", () => {
  it.each([
    ".saga/stories/add-logout/story.json",
    ".saga/stories/add-login-two/story.json",
    ".saga/stories/add-login",
    ".saga/epics.json",
    ".saga/archive/x/story.json",
    ".SAGA/stories/add-login/story.json",
    ".saga",
  ])("may not be changed if they belong to another story: %s", (path) => {
    expect(rulesOf([aChange(path)])).toEqual([["saga", path]]);
    expect(rulesOf([aChange(path)], { writeFiles: [".saga/**", ".SAGA/**"] })).toEqual([
      ["saga", path],
    ]);
  });

  it("may change if they belong to this story, but not move elsewhere", () => {
    expect(judge([aChange(`${OWN}/a.json`), renamed(`${OWN}/a`, `${OWN}/b`)])).toEqual([]);
    expect(rulesOf([renamed(`${OWN}/a`, ".saga/archive/a")])).toEqual([
      ["saga", ".saga/archive/a"],
    ]);
  });
});

describe("files that the story may not change", () => {
  const given = { writeFiles: ["src/auth", "docs/*.md"] };
  it("are reported, and allowed files are not", () => {
    expect(
      judge([aChange("src/auth/a.ts"), aChange("docs/a.md"), deleted("src/b.ts")], given),
    ).toEqual([
      {
        rule: "undeclared",
        file: "src/b.ts",
        key: "deleted",
        message: "The file was deleted, but the story may only change `src/auth`, `docs/*.md`.",
      },
    ]);
  });

  it("include both sides of a rename", () => {
    expect(rulesOf([renamed("a", "b")], given)).toEqual([
      ["undeclared", "a"],
      ["undeclared", "b"],
    ]);
    expect(rulesOf([renamed("a", "src/auth/b")], given)).toEqual([["undeclared", "a"]]);
  });

  it("are all files if the list is empty, and none if there is no list", () => {
    expect(judge([aChange("a")], { writeFiles: [] })).toMatchObject([
      {
        rule: "undeclared",
        message: "The file was changed, but the story may not change any file.",
      },
    ]);
    expect(judge([aChange("a")])).toEqual([]);
  });
});

describe("links", () => {
  const link = (path: string, linkTarget: string): DiffEntry =>
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
  ])("%s to %s are refused", (path, target) => {
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
  ])("%s to %s are allowed", (path, target) => {
    expect(judge([link(path, target)])).toEqual([]);
  });

  it("are shown without control characters", () => {
    const [finding] = judge([link("a", `/x\n\u001b[2J\`\u202e${"y".repeat(200)}`)]);
    expect(finding?.message).toMatch(
      /^The file is a symbolic link to an absolute path, which other machines do not have: `\/x \[2J y+`\.$/,
    );
    expect(finding?.message.length).toBeLessThan(230);
  });
});

describe("submodules", () => {
  it("may not be added, not even in place of a file", () => {
    expect(rulesOf([aChange("m", { before: undefined, after: SUBMODULE })])).toEqual([
      ["submodule", "m"],
    ]);
    expect(rulesOf([aChange("m", { after: SUBMODULE })])).toEqual([["submodule", "m"]]);
  });

  it("may be updated or removed", () => {
    expect(judge([aChange("m", { before: SUBMODULE, after: SUBMODULE })])).toEqual([]);
    expect(judge([{ ...deleted("m"), before: SUBMODULE }])).toEqual([]);
  });
});

describe("the initial allowed files of a story", () => {
  const files = [aChange("a"), aChange("b")];

  it("limit the current ones, and the other way round", () => {
    const undeclared = [["undeclared", "b"]];
    expect(rulesOf(files, { writeFiles: ["**"], bounds: [["a"]] })).toEqual(undeclared);
    expect(rulesOf(files, { writeFiles: undefined, bounds: [["a"]] })).toEqual(undeclared);
    expect(rulesOf(files, { writeFiles: ["a"], bounds: [["a", "b"]] })).toEqual(undeclared);
  });

  it("may exist in several versions", () => {
    expect(rulesOf(files, { writeFiles: ["a", "b"], bounds: [["a"], ["b"]] })).toEqual([]);
  });
});
