import { execFileSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { numbers } from "../../../test/support/seeded.ts";
import { newFolder, type Project } from "../../../test/support/project.ts";
import { errorCode } from "../../machine/files/files.ts";
import type { Scope } from "./scope.ts";
import { judgeToolCall } from "../tool-call.ts";

describe("the same disk by another name", () => {
  it("is one place where the disk ignores case", () => {
    const { scope, link } = newWorld("projet-\u00E9");
    const decomposed = scope.project.normalize("NFD");
    expect(judge(scope, "Write", ".SAGA/config.toml")).toBe("allowed");
    expect(judge(scope, "Read", `${decomposed}/src/a.ts`)).toBe("allowed");

    // Stands in for such a disk: the worktree answers to its name in capitals.
    link(".saga/worktrees/LOGIN", "login");
    const blind = { ...scope };
    expect(judge(blind, "Read", `${decomposed}/src/a.ts`)).toContain("main checkout");
    for (const path of [".SAGA/config.toml", ".\u017Faga/x", ".saga/Stories/OTHER/x"]) {
      expect(judge(blind, "Write", path)).toContain("only change its own folder");
    }
    expect(judge(blind, "Read", ".Saga/ARCHIVE/old")).toContain("not part of this story");
    expect(judge(blind, "Write", ".SAGA/Stories/Login/journal.md")).toBe("allowed");
    expect(judge(blind, "Write", `${decomposed}/.Saga/worktrees/Login/new.ts`)).toBe("allowed");
    // Alike in capitals only: such a disk tells these two apart.
    const twin = join(dirname(scope.worktree), "log\u0131n/x");
    expect(judge(blind, "Write", twin)).toContain("another story's worktree");
  });

  it.runIf(process.platform === "linux" && process.getuid?.() === 0)(
    "is the project where it is mounted a second time",
    () => {
      const { scope } = newWorld();
      const mount = join(dirname(scope.project), "mount");
      mkdirSync(mount);
      execFileSync("mount", ["--bind", scope.project, mount]);
      onTestFinished(() => void execFileSync("umount", [mount]));
      const own = join(scope.worktree, "src/a.ts");
      expect(judge(scope, "Read", `${mount}/src/a.ts`)).toContain(`Use "${own}" instead`);
      expect(judge(scope, "Read", `${mount}/../outside/file`)).toBe("allowed");
    },
  );

  it("is Saga's own where `.saga` is a link to it", () => {
    const { path, link, write } = newFolder();
    write("state/worktrees/login/.git", "");
    link("project/.saga", "../state");
    const worktree = join(path, "state/worktrees/login");
    const scope = { project: join(path, "project"), worktree, storyId: "login", readable: [] };
    expect(judge(scope, "Read", join(path, "state/stories/other/x"))).toContain("main checkout");
    expect(judge(scope, "Read", join(path, "project/.saga/worktrees/login/x"))).toBe("allowed");
    const search = { tool: "Grep", input: { path: join(path, "state/..") }, cwd: worktree };
    expect(judgeToolCall(scope, search)).toMatchObject({ isAllowed: false });
  });
});

describe("where a write ends", () => {
  it("is what the system says, for any mixture of names, dots and links", () => {
    // So deep that no mixture climbs out of what the test may write to.
    const { scope, top } = newWorld(`${"d/".repeat(30)}project`);
    const before = namesBelow(top);
    const random = numbers(20_240_607);
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
    const starts = ["", "", `${scope.worktree}/`, `${scope.project}/`, `${scope.project}/../`];
    const counts = { allowed: 0, refused: 0, unknown: 0 };
    const wrong: string[] = [];
    for (let round = 0; round < 2000; round++) {
      const names = Array.from({ length: Math.floor(random() * 7) }, () => pick(NAMES));
      const folder = names.map((name) => name + pick(SLASHES)).join("");
      const path = `${pick(starts)}${folder}${pick(LEAVES)}`;
      const isAllowed = judge(scope, "Write", path) === "allowed";
      // The system follows a link before it climbs, and most programs do not.
      const asItIsOnDisk = path.startsWith("/") ? path : `${scope.worktree}/${path}`;
      const ends = [asItIsOnDisk, resolve(asItIsOnDisk)].map((way) => whereItEnds(top, way));
      const known = ends.filter((end) => end !== undefined);
      const isOwn = known.every((end) => isOwnGround(scope, end));
      // What cannot be written at all says nothing, but a breach is one whatever the other does.
      const isKnown = known.length === ends.length || !isOwn;
      if (isKnown && isAllowed !== isOwn) wrong.push(path);
      counts[isKnown ? (isAllowed ? "allowed" : "refused") : "unknown"]++;
    }
    expect(wrong).toEqual([]);
    // The mixture is worth something only when it meets both.
    expect(Math.min(counts.allowed, counts.refused)).toBeGreaterThan(200);
    expect(namesBelow(top)).toEqual(before);
  });
});

const NAMES =
  ".. .. .. . src src/deep new in deep-in out main nowhere twist back loop a.ts .git .saga .saga/own .saga/stories stories login other worktrees outside".split(
    " ",
  );
const SLASHES = ["/", "/", "/", "//", "/./"];
const LEAVES = ["x", "x", "a.ts", "in-file", "out-file", "new/x", "nowhere", "to-be"];

/** The real path of the written file; undefined if it cannot be written. */
function whereItEnds(top: string, path: string): string | undefined {
  const requireInside = (place: string): string => {
    if (place.startsWith(`${top}/`)) return place;
    throw new Error(`The test would write to ${place}.`);
  };
  requireInside(resolve(path));
  const isPlain = path === resolve(path);
  const made = isPlain ? makeFolders(dirname(path)) : undefined;
  try {
    const isThere = exists(path);
    closeSync(openSync(path, "a"));
    const end = requireInside(realpathSync.native(path));
    if (!isThere) rmSync(end);
    return end;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  } finally {
    if (made !== undefined) rmSync(requireInside(made), { recursive: true });
  }
}

/** As a tool does before it writes. The topmost of those that were not there. */
function makeFolders(path: string): string | undefined {
  try {
    return mkdirSync(path, { recursive: true });
  } catch {
    // A file or a link that leads nowhere is in the way: opening will say so too.
    return undefined;
  }
}

/** Links are named and not followed, as Node's own way to list a tree would. */
const namesBelow = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? [path, ...namesBelow(path)] : [path];
  });

function exists(path: string): boolean {
  try {
    return realpathSync.native(path) !== "";
  } catch {
    return false;
  }
}

function isOwnGround({ worktree, storyId }: Scope, end: string): boolean {
  if (!end.startsWith(`${worktree}/`)) return false;
  const names = end.slice(worktree.length + 1).split("/");
  if (names.includes(".git")) return false;
  return names[0] !== ".saga" || (names[1] === "stories" && names[2] === storyId);
}

function judge(scope: Scope, tool: string, path: string): string {
  const call = { tool, input: { file_path: path }, cwd: scope.worktree };
  const verdict = judgeToolCall(scope, call);
  return verdict.isAllowed ? "allowed" : verdict.reason;
}

interface World {
  readonly scope: Scope;
  readonly link: Project["link"];
  /** Everything of this world is below. */
  readonly top: string;
}

function newWorld(name = "project"): World {
  const { path: top, ...folder } = newFolder();
  const project = join(top, name);
  const write = (file: string, content: string): string => folder.write(join(name, file), content);
  const link = (file: string, target: string): void => folder.link(join(name, file), target);
  const own = ".saga/worktrees/login";
  write(`${own}/.git`, "gitdir: x");
  for (const file of ["src/a.ts", "src/deep/a.ts", "a.ts", ".saga/config.toml"]) {
    write(file, "");
    write(`${own}/${file}`, "");
  }
  for (const story of ["login", "other"]) write(`${own}/.saga/stories/${story}/a.ts`, "");
  for (const file of ["../outside/file", "../outside/deep/a.ts"]) write(file, "");
  link("../outside/back", join(project, own, "src/deep"));
  for (const [file, target] of Object.entries({
    in: "src",
    "deep-in": "./src//deep/",
    "in-file": "src/deep/../a.ts",
    "to-be": "src/to-be",
    out: "../../../../outside",
    "out-file": join(dirname(project), "outside/file"),
    nowhere: "../../../../outside/missing",
    main: "../../..",
    twist: "out/back/../..",
    back: "in/../out/back",
    loop: "loop",
    "src/out": "../out/deep",
    ".saga/own": "stories/login",
    ".saga/stories/login/other": "../other",
  })) {
    link(`${own}/${file}`, target);
  }
  const worktree = join(project, own);
  return { scope: { project, worktree, storyId: "login", readable: [] }, link, top };
}
