import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { BRANCH, leftBehind, lines, newDelivery, stateOf } from "../../test/support/delivery.ts";

describe("the user's git settings", () => {
  const HOSTILE = `
[core]
	autocrlf = true
	eol = crlf
	safecrlf = true
	editor = false
	attributesFile = ATTRIBUTES
	hooksPath = HOOKS
	commentChar = "S"
	quotePath = true
	abbrev = 4
	logAllRefUpdates = false
[rebase]
	autoStash = true
	autoSquash = true
	updateRefs = true
	abbreviateCommands = true
	missingCommitsCheck = error
	instructionFormat = "nothing"
[sequence]
	editor = false
[merge]
	ff = false
	renames = false
	conflictStyle = diff3
	verifySignatures = true
	autoStash = true
	default = ours-only
[merge "ours-only"]
	driver = false
[branch "trunk"]
	mergeOptions = --no-ff --squash
[commit]
	gpgSign = true
	template = /nowhere
	cleanup = strip
	verbose = true
[tag]
	gpgSign = true
[gpg]
	program = false
[rerere]
	enabled = true
	autoUpdate = true
[i18n]
	commitEncoding = ISO-8859-1
	logOutputEncoding = ISO-8859-1
[log]
	showSignature = true
	follow = true
	decorate = full
	date = relative
[status]
	showUntrackedFiles = all
	relativePaths = false
[diff]
	noprefix = true
	renames = copies
	external = false
[submodule]
	recurse = true
[push]
	followTags = true
	default = nothing
	gpgSign = if-asked
	pushOption = surprise
	recurseSubmodules = on-demand
[fetch]
	prune = true
[user]
	useConfigOnly = true
	signingKey = nothing
[pull]
	rebase = true
	twohead = ours
[worktree]
	guessRemote = true
[checkout]
	defaultRemote = elsewhere
`;

  /** All but those of a push; the remote of this test has the same settings, and its own side of one. */
  const HOOKS = [
    "applypatch-msg pre-applypatch post-applypatch pre-commit prepare-commit-msg commit-msg",
    "post-commit pre-rebase post-checkout post-merge post-rewrite pre-merge-commit post-index-change",
  ].flatMap((names) => names.split(" "));

  it.each([
    ["this repository", false],
    ["the remote", true],
  ])("changes nothing: no settings and no hooks, to a branch of %s", async (_, isRemote) => {
    const make = async (isHostile: boolean) => {
      const delivery = await newDelivery({ isRemote });
      const { test } = delivery;
      delivery.work({ "shared.txt": lines({ 3: "drei – 三" }) }, `Drei – 三\n\nSaga-Task: one`);
      delivery.work(
        { "moved.txt": lines({ 3: "drei – 三" }), "shared.txt": undefined },
        "fixup! Drei",
      );
      delivery.meanwhile({ "shared.txt": lines({ 20: "zwanzig" }) });
      const home = dirname(test.path);
      if (isHostile) {
        test.git("tag", "--annotate", "--message=mine", "mine", BRANCH);
        const hooks = join(home, "hooks");
        for (const name of HOOKS) {
          test.write(`../hooks/${name}`, `#!/bin/sh\necho ${name} >> '${home}/ran'\nexit 1\n`);
          chmodSync(join(hooks, name), 0o755);
        }
        test.write("../attributes", "*.txt merge=ours-only\n*.txt text eol=crlf\n");
        const text = HOSTILE.replace("HOOKS", hooks).replace(
          "ATTRIBUTES",
          join(home, "attributes"),
        );
        const name = "[user]\n\tname = Person\n\temail = person@example.org\n";
        writeFileSync(join(home, ".gitconfig"), `${name}${text}`);
      }
      const states = [stateOf(test, test.path), stateOf(test, delivery.folder)];
      let content = "";
      const outcome = await delivery.deliver({
        verify: async (folder) => {
          content = readFileSync(join(folder, "moved.txt"), "utf8");
          return { isPassed: true };
        },
      });
      expect(content).toBe(lines({ 3: "drei – 三", 20: "zwanzig" }));
      expect([stateOf(test, test.path), stateOf(test, delivery.folder)]).toEqual(states);
      expect(leftBehind(test)).toEqual([]);
      const ran = existsSync(join(home, "ran")) ? readFileSync(join(home, "ran"), "utf8") : "";
      const origin = isRemote ? join(home, "origin.git") : test.path;
      const tags = isRemote ? test.gitIn(origin, "-c", "core.hooksPath=", "tag") : "";
      return { outcome, tags, ran, tree: test.git("rev-parse", `${delivery.target()}^{tree}`) };
    };
    const [plain, hostile] = [await make(false), await make(true)];
    expect(plain.outcome.kind).toBe("merged");
    expect(hostile.outcome.kind).toBe("merged");
    expect(hostile.tree).toBe(plain.tree);
    expect(hostile.tags).toBe("");
    expect(hostile.ran).toBe("");
  });

  it("do not sort, join or lose commits", async () => {
    const delivery = await newDelivery();
    writeFileSync(
      join(dirname(delivery.test.path), ".gitconfig"),
      HOSTILE.replace("[user]", "[user]\n\tname = P\n\temail = p@example.org"),
    );
    const { folder, test } = delivery;
    const plain = [
      "-c",
      "commit.gpgSign=false",
      "-c",
      "core.hooksPath=/dev/null",
      "-c",
      "commit.template=",
    ];
    for (const name of ["One", "Two", "fixup! One"]) {
      writeFileSync(join(folder, name), `${name}\r\n`);
      test.gitIn(folder, ...plain, "-c", "core.safecrlf=false", "add", "--all");
      test.gitIn(folder, ...plain, "commit", "--quiet", `--message=${name}\n\nSaga-Task: one`);
    }
    test.git(
      ...plain,
      "update-ref",
      "refs/heads/trunk",
      test.git("commit-tree", "-p", "trunk", "-m", "moved", "main^{tree}"),
    );
    expect(await delivery.deliver()).toMatchObject({ kind: "merged" });
    const subjects = test.git(
      "-c",
      "log.showSignature=false",
      "-c",
      "log.follow=false",
      "log",
      "--reverse",
      "--format=%s",
      "main..trunk",
    );
    expect(subjects.split("\n")).toEqual(["moved", "One", "Two", "fixup! One"]);
  });
});
