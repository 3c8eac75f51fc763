import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  guarded,
  at,
  gitOf,
  isUp,
  killedAfter,
  runs,
  type GuardedPlace,
} from "../../../test/support/guarded.ts";
import { newRepository } from "../../../test/support/repository.ts";
import { until } from "../../../test/support/until.ts";
import { processesWith } from "../processes/process-tree.ts";
import { whileGuarded } from "./config-guard.ts";
import { openGit } from "./git.ts";
import { takeUnreported } from "./removed-settings.ts";

/** A worktree whose own settings name a program, after git has read it without them. */
async function newEvilTree({ test, git, ran }: GuardedPlace) {
  const tree = join(test.path, "../tree");
  await git.ask(["worktree", "add", "--quiet", "--detach", tree]);
  await git.ask(["status"]);
  const file = join(test.path, ".git/worktrees/tree/config.worktree");
  writeFileSync(file, `[filter "evil"]\n\tclean = ${runs(ran)}\n`);
  return tree;
}

describe("a program that appears in the settings while an agent runs", () => {
  it.each([
    ["filter.evil.clean", "* filter=evil\n"],
    ["filter.evil.process", "* filter=evil\n"],
    ["diff.evil.textconv", "* diff=evil\n"],
    ["diff.external", ""],
    ["core.sshCommand", ""],
    ["alias.x", ""],
  ])("(%s) is removed before git could run it, and named", async (key, attributes) => {
    await guarded(async ({ test, git, removals, ran }) => {
      test.write(".gitattributes", attributes);
      test.git("config", key, runs(ran));
      test.write("read me.txt", "changed\n");
      await git.ask(["add", "--all"]);
      await git.ask(["diff", "HEAD"]);
      expect(existsSync(ran)).toBe(false);
      expect(removals).toEqual([expect.stringContaining(key.toLowerCase())]);
      expect(test.git("config", "--list", "--local")).not.toContain("touch");
    });
  });

  it("is removed from an included file too", async () => {
    await guarded(async ({ test, git, removals, ran }) => {
      const file = join(test.path, "../more");
      writeFileSync(file, `[filter "evil"]\n\tclean = ${runs(ran)}\n`);
      test.git("config", "include.path", file);
      test.write(".gitattributes", "* filter=evil\n");
      await git.ask(["add", "--all"]);
      expect(existsSync(ran)).toBe(false);
      expect(removals.join()).toContain("include.path");
    });
  });

  it("is removed from the worktree's settings too", async () => {
    await guarded(
      async ({ test, git, removals, ran }) => {
        const tree = join(test.path, "../tree");
        test.git("worktree", "add", "--quiet", "--detach", tree);
        test.write(".gitattributes", "* filter=evil\n");
        writeFileSync(join(tree, ".gitattributes"), "* filter=evil\n");
        const settings = `[filter "evil"]\n\tclean = ${runs(ran)}\n`;
        writeFileSync(join(test.path, ".git/config.worktree"), settings);
        writeFileSync(join(test.path, ".git/worktrees/tree/config.worktree"), settings);
        await git.ask(["add", "--all"]);
        await git.at(tree).ask(["add", "--all"]);
        expect(existsSync(ran)).toBe(false);
        expect(removals).toHaveLength(2);
      },
      // As `git sparse-checkout` sets it.
      (test) => test.git("config", "extensions.worktreeConfig", "true"),
    );
  });

  it("is removed from a worktree's settings before a command of the first checkout works there", async () => {
    await guarded(
      async (place) => {
        const { git, removals, ran } = place;
        const tree = await newEvilTree(place);
        const again = new Date();
        utimesSync(join(tree, "read me.txt"), again, again);
        await git.ask(["worktree", "remove", tree]);
        expect(existsSync(ran)).toBe(false);
        expect(removals.join()).toContain("filter.evil.clean");
      },
      (test) => {
        test.git("config", "extensions.worktreeConfig", "true");
        writeFileSync(join(test.path, ".git/info/attributes"), "* filter=evil\n");
      },
    );
  });

  it("costs a command nothing when it is in another worktree, which the command does not read", async () => {
    await guarded(
      async (place) => {
        const { git, removals, ran } = place;
        const tree = await newEvilTree(place);
        await git.ask(["status"]);
        expect(removals).toEqual([]);
        await git.at(tree).ask(["status"]);
        expect(removals.join()).toContain("filter.evil.clean");
        expect(existsSync(ran)).toBe(false);
      },
      (test) => test.git("config", "extensions.worktreeConfig", "true"),
    );
  });

  it("is not reached by attributes that appear with it", async () => {
    await guarded(
      async ({ test, git, removals, ran }) => {
        writeFileSync(join(test.path, ".git/info/attributes"), "* filter=mine\n");
        test.write("read me.txt", "changed\n");
        await git.ask(["add", "--all"]);
        expect(existsSync(ran)).toBe(false);
        expect(removals.join()).toContain("attributes was changed");
      },
      (test) => test.git("config", "filter.mine.clean", runs(join(test.path, "../ran"))),
    );
  });

  it("gives the place back to the person's own", async () => {
    await guarded(
      async ({ test, git, ran }) => {
        test.git("config", "filter.mine.clean", runs(ran));
        test.write(".gitattributes", "*.up filter=mine\n");
        test.write("a.up", "text\n");
        await git.ask(["add", "--all"]);
        expect(existsSync(ran)).toBe(false);
        expect(await git.ask(["cat-file", "blob", ":a.up"])).toBe("TEXT");
      },
      (test) => test.git("config", "filter.mine.clean", "tr a-z A-Z"),
    );
  });

  it("goes with the whole file where git cannot read or write it", async () => {
    await guarded(async ({ test, git, removals, ran }) => {
      const config = join(test.path, ".git/config");
      const before = readFileSync(config, "utf8");
      writeFileSync(config, `${before}[filter "evil"]\n\tclean = ${runs(ran)}\n`);
      // As a killed sandbox leaves it.
      writeFileSync(`${config}.lock`, "");
      test.write(".gitattributes", "* filter=evil\n");
      await git.ask(["add", "--all"]);
      writeFileSync(config, `${before}[broken\n`);
      await git.ask(["status", "--porcelain"]);
      expect(readFileSync(config, "utf8")).toBe(before);
      expect(existsSync(ran)).toBe(false);
      expect(removals).toHaveLength(2);
    });
  });

  it("does not come by a link to another file", async () => {
    await guarded(async ({ test, git, ran }) => {
      const config = join(test.path, ".git/config");
      const other = join(test.path, "../other");
      writeFileSync(other, `[filter "evil"]\n\tclean = ${runs(ran)}\n`);
      rmSync(config);
      symlinkSync(other, config);
      test.write(".gitattributes", "* filter=evil\n");
      await git.ask(["add", "--all"]);
      expect(existsSync(ran)).toBe(false);
    });
  });
});

it("leaves alone what was there before, and what runs nothing", async () => {
  await guarded(
    async ({ test, git, removals }) => {
      test.git("config", "user.nickname", "someone");
      test.git("remote", "add", "other", "https://example.org/other.git");
      test.write(".gitattributes", "*.up filter=mine\n");
      test.write("a.up", "text\n");
      await git.ask(["add", "--all"]);
      expect(await git.ask(["cat-file", "blob", ":a.up"])).toBe("TEXT");
      expect(removals).toEqual([]);
      expect(readFileSync(join(test.path, ".git/config"), "utf8")).toContain("someone");
    },
    (test) => test.git("config", "filter.mine.clean", "tr a-z A-Z"),
  );
});

describe("after a worker was killed", () => {
  it("the next git command of any process removes what was left, keeps a copy, and reports it once", async () => {
    const test = newRepository();
    const ran = join(test.path, "../ran");
    await killedAfter(test, `git config filter.evil.clean 'touch ${ran} && cat'`);
    expect(isUp(test)).toBe(true);
    test.write(".gitattributes", "* filter=evil\n");
    await gitOf(test).ask(["add", "--all"]);
    expect(existsSync(ran)).toBe(false);
    const [sentence = "", ...more] = takeUnreported(test.env);
    expect(more).toEqual([]);
    expect(sentence).toContain("filter.evil.clean");
    const folder = /a copy is in (?<folder>\S+)\./.exec(sentence)?.groups?.["folder"] ?? "";
    expect(readFileSync(join(folder, "config"), "utf8")).toContain(ran);
    expect(takeUnreported(test.env)).toEqual([]);
  });

  it("the guard comes down with that command, and what a person sets then is theirs", async () => {
    const test = newRepository();
    await killedAfter(test, "true");
    await gitOf(test).ask(["status"]);
    expect(isUp(test)).toBe(false);
    test.git("config", "filter.mine.clean", "tr a-z A-Z");
    test.write(".gitattributes", "*.up filter=mine\n");
    test.write("a.up", "text\n");
    await gitOf(test).ask(["add", "--all"]);
    expect(test.git("cat-file", "blob", ":a.up")).toBe("TEXT");
    expect(takeUnreported(test.env)).toEqual([]);
  });

  it("the guard stays up while something that it started still runs", async () => {
    const test = newRepository();
    await killedAfter(test, "SAGA_MARK=$PWD sleep 60 >/dev/null 2>&1 & echo $! > ../pid");
    const pid = Number(readFileSync(join(test.path, "../pid"), "utf8"));
    await until(() => processesWith("SAGA_MARK", test.path).length > 0);
    try {
      await gitOf(test).ask(["status"]);
      expect(isUp(test)).toBe(true);
    } finally {
      process.kill(pid, "SIGKILL");
    }
  });
});

it("is up as long as one of two runs, and judges both by what was there before the first", async () => {
  const test = newRepository();
  const ran = join(test.path, "../ran");
  const mark = ["SAGA_MARK", "none"] as const;
  await whileGuarded(at(test), { mark }, async () => {
    await whileGuarded(at(test), { mark }, async () => test.git("config", "alias.x", "!true"));
    expect(isUp(test)).toBe(true);
    test.git("config", "filter.evil.clean", runs(ran));
  });
  expect(isUp(test)).toBe(false);
  expect(test.git("config", "--list", "--local")).not.toMatch(/alias|filter/);
});

it("starts no git, as long as nothing was changed", async () => {
  await guarded(async ({ test, git }) => {
    const callsFile = join(test.path, "../calls");
    const bin = join(test.path, "../bin");
    mkdirSync(bin);
    const real = execFileSync("which", ["git"], { encoding: "utf8" }).trim();
    writeFileSync(join(bin, "git"), `#!/bin/sh\necho "$@" >> ${callsFile}\nexec ${real} "$@"\n`);
    chmodSync(join(bin, "git"), 0o755);
    const counted = openGit(test.path, { ...test.env, PATH: `${bin}:${process.env["PATH"]}` });
    for (let calls = 0; calls < 3; calls++) await counted.ask(["rev-parse", "HEAD"]);
    expect(readFileSync(callsFile, "utf8").trim().split("\n")).toHaveLength(3);
    await git.ask(["rev-parse", "HEAD"]);
  });
});
