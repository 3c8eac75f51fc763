import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bundle, runNode } from "../../../test/support/programs.ts";
import { addOrigin, newRepository, type TestRepository } from "../../../test/support/repository.ts";
import { until } from "../../../test/support/until.ts";
import { processesWith } from "../processes/process-tree.ts";
import { whileGuarded } from "./config-guard.ts";
import { openGit, type Git } from "./git.ts";
import { takeUnreported } from "./removed-settings.ts";

interface Place {
  readonly test: TestRepository;
  readonly git: Git;
  readonly removals: string[];
  /** Programs that must not run write this file. */
  readonly ran: string;
}

/** As between the start and the end of a worker. */
async function guarded(
  act: (place: Place) => Promise<void>,
  before: (test: TestRepository) => void = () => undefined,
): Promise<void> {
  const test = newRepository();
  before(test);
  const removals: string[] = [];
  const place = { test, git: gitOf(test), removals, ran: join(test.path, "../ran") };
  const warn = (sentence: string): void => void removals.push(sentence);
  await whileGuarded(at(test), { mark: ["SAGA_MARK", "none"], warn }, () => act(place));
}

const at = ({ path, env }: TestRepository) => ({ folder: path, env });
const gitOf = ({ path, env }: TestRepository): Git => openGit(path, env);
const runs = (file: string): string => `touch ${file} && cat`;
const script = (file: string): string => `#!/bin/sh\ntouch ${file}\ncat >/dev/null\n`;
const guards = ({ env }: TestRepository): string =>
  join(env["HOME"] ?? "", ".local/state/saga/git-config");

/** Whether the guard is up. */
const isUp = (test: TestRepository): boolean =>
  readdirSync(guards(test)).some((name) => existsSync(join(guards(test), name, "trusted")));

/** In a process of its own. */
async function killedAfter({ path, env }: TestRepository, plant: string): Promise<void> {
  const program = await bundle("test/support/processes/killed-holder.ts");
  const ended = await runNode([program, plant], { cwd: path, env });
  expect(ended.signal, ended.stderr).toBe("SIGKILL");
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
      async ({ test, git, removals, ran }) => {
        const tree = join(test.path, "../tree");
        await git.ask(["worktree", "add", "--quiet", "--detach", tree]);
        await git.ask(["status"]);
        const file = join(test.path, ".git/worktrees/tree/config.worktree");
        writeFileSync(file, `[filter "evil"]\n\tclean = ${runs(ran)}\n`);
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
      async ({ test, git, removals, ran }) => {
        const tree = join(test.path, "../tree");
        await git.ask(["worktree", "add", "--quiet", "--detach", tree]);
        await git.ask(["status"]);
        const file = join(test.path, ".git/worktrees/tree/config.worktree");
        writeFileSync(file, `[filter "evil"]\n\tclean = ${runs(ran)}\n`);
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

describe("a hook that appears while an agent runs", () => {
  const hookIn = (test: TestRepository, name: string, ran: string): string => {
    const file = join(test.path, ".git/hooks", name);
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, script(ran));
    chmodSync(file, 0o755);
    return file;
  };
  const push = (git: Git) =>
    git.ask(["push", "--quiet", "origin", "HEAD:refs/heads/other"], { withHooks: true });

  it.each(["pre-push", "reference-transaction"])("(%s) is not run by a push", async (name) => {
    await guarded(async ({ test, git, removals, ran }) => {
      const hook = hookIn(test, name, ran);
      await push(git);
      expect(existsSync(ran)).toBe(false);
      expect(existsSync(hook)).toBe(false);
      expect(removals).toEqual([expect.stringContaining(hook)]);
    }, addOrigin);
  });

  it("gives the place back to the person's own, which runs", async () => {
    await guarded(
      async ({ test, git, ran }) => {
        hookIn(test, "pre-push", ran);
        await push(git);
        expect(existsSync(ran)).toBe(false);
        expect(existsSync(join(test.path, "../own"))).toBe(true);
      },
      (test) => {
        addOrigin(test);
        hookIn(test, "pre-push", join(test.path, "../own"));
      },
    );
  });

  it("is not run because the folder of hooks was exchanged", async () => {
    await guarded(async ({ test, git, ran }) => {
      const hooks = join(test.path, ".git/hooks");
      hookIn(test, "pre-push", ran);
      renameSync(hooks, join(test.path, "../hooks"));
      symlinkSync(join(test.path, "../hooks"), hooks);
      await push(git);
      expect(existsSync(ran)).toBe(false);
    }, addOrigin);
  });

  it("is not run in a folder that was made the remote", async () => {
    await guarded(async ({ test, git, removals, ran }) => {
      const evil = join(test.path, "../evil.git");
      test.git("clone", "--quiet", "--bare", test.path, evil);
      writeFileSync(join(evil, "hooks/pre-receive"), script(ran));
      chmodSync(join(evil, "hooks/pre-receive"), 0o755);
      test.git("remote", "set-url", "origin", evil);
      await push(git);
      expect(existsSync(ran)).toBe(false);
      expect(removals.join()).toContain("remote.origin.url");
    }, addOrigin);
  });
});

interface Paths {
  readonly test: TestRepository;
  readonly evil: string;
}

describe("a worktree that was led to another repository", () => {
  const evilIn = (test: TestRepository, ran: string): string => {
    const evil = join(test.path, "../evil");
    test.git("clone", "--quiet", test.path, evil);
    test.gitIn(evil, "config", "filter.evil.clean", runs(ran));
    return evil;
  };
  const treeIn = (test: TestRepository): string => {
    const tree = join(test.path, "../tree");
    test.git("worktree", "add", "--quiet", "--detach", tree);
    writeFileSync(join(tree, ".gitattributes"), "* filter=evil\n");
    return tree;
  };

  it("by its commondir is led back", async () => {
    await guarded(async ({ test, git, removals, ran }) => {
      const tree = treeIn(test);
      const link = join(test.path, ".git/worktrees/tree/commondir");
      writeFileSync(link, `${evilIn(test, ran)}/.git\n`);
      await git.at(tree).ask(["add", "--all"]);
      expect(existsSync(ran)).toBe(false);
      expect(removals).toEqual([expect.stringContaining(link)]);
    });
  });

  it.each([
    ["another repository", ({ evil }: Paths) => `gitdir: ${evil}/.git/worktrees/tree\n`],
    [
      "a path that only looks like its own",
      ({ test }: Paths) => `gitdir: ${test.path}/src/link/../../.git/worktrees/tree\n`,
    ],
  ])("by its .git file (%s) is refused", async (_, text) => {
    await guarded(async ({ test, git, ran }) => {
      const tree = treeIn(test);
      const evil = evilIn(test, ran);
      test.gitIn(evil, "worktree", "add", "--quiet", "--detach", "../evil-trees/tree");
      symlinkSync(join(evil, ".git/info"), join(test.path, "src/link"));
      writeFileSync(join(tree, ".git"), text({ test, evil }));
      const added = await git.at(tree).attempt(["add", "--all"]);
      expect([added.isOk, added.stderr]).toEqual([
        false,
        expect.stringContaining("belongs to the repository"),
      ]);
      expect(existsSync(ran)).toBe(false);
    });
  });

  it("by files that look like a repository is refused", async () => {
    await guarded(async ({ test, git, ran }) => {
      const tree = treeIn(test);
      rmSync(join(tree, ".git"));
      test.git("clone", "--quiet", "--bare", test.path, join(test.path, "../bare"));
      for (const name of ["HEAD", "objects", "refs", "packed-refs"]) {
        renameSync(join(test.path, "../bare", name), join(tree, name));
      }
      writeFileSync(
        join(tree, "config"),
        `[core]\n\tbare = false\n\tworktree = .\n[filter "evil"]\n\tclean = ${runs(ran)}\n`,
      );
      expect((await git.at(tree).attempt(["add", "--all"])).isOk).toBe(false);
      expect(existsSync(ran)).toBe(false);
    });
  });

  it("by a commondir in the repository itself is led back", async () => {
    await guarded(async ({ test, git, removals, ran }) => {
      writeFileSync(join(test.path, ".git/commondir"), `${evilIn(test, ran)}/.git\n`);
      test.write(".gitattributes", "* filter=evil\n");
      await git.ask(["add", "--all"]);
      expect(existsSync(ran)).toBe(false);
      expect(removals.join()).toContain("commondir was changed");
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
