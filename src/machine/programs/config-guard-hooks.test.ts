import {
  chmodSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { guarded, runs, script } from "../../../test/support/guarded.ts";
import { addOrigin, type TestRepository } from "../../../test/support/repository.ts";
import { type Git } from "./git.ts";

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
