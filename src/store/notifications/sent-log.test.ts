import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newProject, type Project } from "../../../test/support/project.ts";
import { listNames } from "../../machine/files/files.ts";
import { thisProcess } from "../../machine/processes/process-id.ts";
import { IGNORED, layoutOf } from "../project/layout.ts";
import { claimNotice, pruneNotices, type NoticeClaim } from "./sent-log.ts";

const NOW = Date.parse("2026-11-15T12:00:00Z");
const now = (): number => NOW;
const WAYS = ["bell", "webhook"];

const claim = ({ path }: Project, key = "k", ways = WAYS): NoticeClaim | undefined =>
  claimNotice(layoutOf(path), key, { ways, now });

/** The folder of the only notice there is. */
function folderIn(project: Project): string {
  const [name = ""] = readdirSync(join(project.path, ".saga/notices"));
  return join(project.path, ".saga/notices", name);
}

describe("a notice", () => {
  it("is claimed by one, and by nobody else meanwhile", () => {
    const project = newProject();
    expect(claim(project)?.open).toEqual(WAYS);
    expect(claim(project)).toBeUndefined();
    expect(claim(project, "another")).toBeDefined();
  });

  it("that was said is not claimed again", () => {
    const project = newProject();
    const mine = claim(project);
    for (const way of WAYS) mine?.noteSaid(way);
    mine?.release();
    expect(claim(project)).toBeUndefined();
  });

  it("that someone else says between the look and the claim is not said again", () => {
    const project = newProject();
    let isFirst = true;
    const meanwhile = (): number => {
      if (isFirst) {
        isFirst = false;
        const other = claim(project);
        for (const way of WAYS) other?.noteSaid(way);
        other?.release();
      }
      return NOW;
    };
    const at = layoutOf(project.path);
    expect(claimNotice(at, "k", { ways: WAYS, now: meanwhile })).toBeUndefined();
    expect(isFirst).toBe(false);
    // And it is not held by the one who came too late.
    expect(claim(project, "k", ["desktop"])).toBeDefined();
  });

  it("is left to others in the ways that nobody has said it in", () => {
    const project = newProject();
    const mine = claim(project, "k", ["webhook"]);
    mine?.noteSaid("webhook");
    mine?.release();
    expect(claim(project, "k", ["webhook"])).toBeUndefined();
    expect(claim(project)?.open).toEqual(["bell"]);
  });

  it("that could not be said is tried again, three times in all", () => {
    const project = newProject();
    for (let round = 0; round < 3; round++) {
      const mine = claim(project);
      expect(mine?.open).toContain("webhook");
      if (round === 0) mine?.noteSaid("bell");
      mine?.noteFailed("webhook");
      mine?.release();
    }
    expect(claim(project)).toBeUndefined();
  });

  it("whose sayer died without a word is the next one's", () => {
    const project = newProject();
    claim(project);
    const { pid } = spawnSync("true");
    const lease = { owner: "x", takenAt: "x", expiresAt: "x", generation: 1 };
    const file = join(folderIn(project), "1.json");
    writeFileSync(file, JSON.stringify({ ...thisProcess(), ...lease, pid }));
    expect(claim(project)?.open).toEqual(WAYS);
    expect(claim(project)).toBeUndefined();
  });

  it("with nothing to say it in leaves no trace", () => {
    const project = newProject();
    expect(claim(project, "k", [])).toBeUndefined();
    expect(readdirSync(join(project.path, ".saga"))).toEqual(["config.toml"]);
  });

  it.each(["", "{", "null", "[]", '{"said":"bell"}', '{"said":[],"failures":null}'])(
    "whose record is %j is said again rather than never",
    (text) => {
      const project = newProject();
      claim(project)?.release();
      writeFileSync(join(folderIn(project), "said.json"), text);
      expect(claim(project)?.open).toEqual(WAYS);
    },
  );

  it.each(["../../../out", "a/b\0c", "x".repeat(10_000), "", "ü\n"])(
    "may have any key, and stays in its folder: %j",
    (key) => {
      const project = newProject();
      expect(claim(project, key)).toBeDefined();
      expect(folderIn(project)).toMatch(/\/\.saga\/notices\/[0-9a-f]{32}$/);
    },
  );

  it("is nothing for git", () => {
    expect(IGNORED).toContain("notices/");
  });
});

describe("what was said", () => {
  it("is forgotten when it is the oldest, and never while it is being said", () => {
    const project = newProject();
    const at = layoutOf(project.path);
    const folders = ["a", "b", "c", "d"].map((key, age) => {
      const before = new Set(namesIn(project));
      const mine = claim(project, key);
      mine?.noteSaid("bell");
      if (key !== "a") mine?.release();
      const name = namesIn(project).find((one) => !before.has(one)) ?? "";
      utimesSync(join(project.path, ".saga/notices", name), age, age);
      return name;
    });
    pruneNotices(at, NOW, 4);
    expect(namesIn(project)).toHaveLength(4);
    pruneNotices(at, NOW, 2);
    const [a = "", , c = "", d = ""] = folders;
    expect(namesIn(project).toSorted()).toEqual([a, c, d].toSorted());
  });

  it("is all that is ever removed", () => {
    const project = newProject();
    mkdirSync(join(project.path, ".saga/notices/my photos"), { recursive: true });
    project.write(".saga/notices/letter", "dear");
    pruneNotices(layoutOf(project.path), NOW, 0);
    expect(namesIn(project)).toEqual(["letter", "my photos"]);
  });

  it("is nothing in a project where nothing was said", () => {
    expect(() => pruneNotices(layoutOf(newProject().path), NOW, 0)).not.toThrow();
  });
});

const namesIn = ({ path }: Project): string[] => listNames(join(path, ".saga/notices"));
