import { execFileSync } from "node:child_process";
import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newRepository, STORY, type TestRepository } from "../../test/support/repository.ts";
import { openGit } from "../machine/programs/git.ts";
import { receiptSchema, type Receipt } from "../story/receipts/receipt.ts";
import { configSchema, settingsOf, type Settings } from "../story/settings/settings.ts";
import { runDiffGate } from "./diff-gate.ts";

/** Put together here, so that a search for secrets does not find it in this file. */
const TOKEN = ["ghp", "wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"].join("_");

interface Given {
  readonly writeFiles?: readonly string[];
  readonly settings?: Partial<Settings["gate"]>;
}

/** Commits everything in the worktree, and judges it. */
async function judge(repository: TestRepository, given: Given = {}): Promise<Receipt> {
  repository.git("add", "--all");
  repository.git("commit", "--quiet", "--message=work");
  return judgeCommitted(repository, given);
}

/** All since the first commit. */
const judgeCommitted = (repository: TestRepository, given: Given): Promise<Receipt> =>
  runDiffGate({
    git: openGit(repository.path, repository.env),
    from: repository.git("rev-list", "--first-parent", "--max-parents=0", "HEAD"),
    to: repository.git("rev-parse", "HEAD"),
    tree: repository.git("rev-parse", "HEAD^{tree}"),
    storyId: STORY,
    writeFiles: given.writeFiles,
    settings: { ...settingsOf(configSchema.parse({})).gate, ...given.settings },
    now: () => Date.UTC(2026, 0, 2),
  });

/** A commit with this many small files, without writing them to the disk first. */
function commitMany(repository: TestRepository, count: number): void {
  const files = Array.from({ length: count }, (_, i) => {
    const text = `module.exports = ${i};\n`;
    const path = `node_modules/${i % 100}/${i}.js`;
    return `M 100644 inline ${path}\ndata ${text.length}\n${text}\n`;
  });
  const head = "commit refs/heads/main\ncommitter P <p@example.org> 0 +0000\ndata 0\n";
  const input = `${head}from refs/heads/main^0\n${files.join("")}`;
  const { path: cwd, env } = repository;
  execFileSync("git", ["fast-import", "--quiet"], { cwd, env, input });
}

const rulesOf = ({ findings }: Receipt): unknown[] =>
  findings.map(({ rule, file }) => [rule, file]);

describe("a story's changes", () => {
  it("pass with a receipt when there are no findings", async () => {
    const repository = newRepository();
    repository.write("src/main.ts", "export const a = 1;\n");
    const receipt = await judge(repository, { writeFiles: ["src/**"] });
    expect(receipt).toEqual({
      at: "2026-01-02T00:00:00.000Z",
      gate: "diff",
      tree: repository.git("rev-parse", "HEAD^{tree}"),
      isPassed: true,
      ms: expect.any(Number) as number,
      findings: [],
    });
    expect(receiptSchema.parse(receipt)).toEqual(receipt);
  });

  it("are refused with every finding", async () => {
    const repository = newRepository();
    repository.write("src/key.ts", `\nconst token = "${TOKEN}";\n`);
    repository.write(".mcp.json", "{}");
    repository.write(".saga/stories/other/story.json", "{}");
    repository.write("picture", `\0${"x".repeat(2_000_000)}`);
    symlinkSync("../..", join(repository.path, "src/up"));
    rmSync(join(repository.path, "read me.txt"));
    const receipt = await judge(repository, { writeFiles: ["src/**", "picture"] });
    expect(receipt.isPassed).toBe(false);
    expect(rulesOf(receipt)).toEqual([
      ["secret", "src/key.ts"],
      ["protected", ".mcp.json"],
      ["saga", ".saga/stories/other/story.json"],
      ["undeclared", "read me.txt"],
      ["symlink", "src/up"],
      ["binary", "picture"],
    ]);
    expect(receipt.findings[0]).toMatchObject({ line: 2 });
    expect(JSON.stringify(receipt)).not.toContain(TOKEN.slice(4, 12));
    expect(receiptSchema.parse(receipt)).toEqual(receipt);
  });

  it("are searched for secrets only in added text", async () => {
    const repository = newRepository();
    repository.write("src/key.ts", `one\n${TOKEN}\n`);
    repository.git("add", "--all");
    repository.git("commit", "--quiet", "--amend", "--message=first");
    repository.write("src/key.ts", `zero\none\n${TOKEN}\n`);
    expect(await judge(repository)).toMatchObject({ isPassed: true });
    repository.write("src/other.ts", TOKEN);
    expect(rulesOf(await judge(repository))).toEqual([["secret", "src/other.ts"]]);
  });

  it("are searched for secrets in the story's own folder too", async () => {
    const repository = newRepository();
    repository.write(`.saga/stories/${STORY}/journal.md`, `I used ${TOKEN}.\n`);
    expect(rulesOf(await judge(repository))).toEqual([
      ["secret", `.saga/stories/${STORY}/journal.md`],
    ]);
  });

  it("are not searched if the setting is off or the text is allowed", async () => {
    const repository = newRepository();
    repository.write("src/key.ts", TOKEN);
    expect(await judge(repository, { settings: { secrets: false } })).toMatchObject({
      isPassed: true,
    });
    repository.write("src/more.ts", TOKEN);
    expect(await judge(repository, { settings: { secretsAllow: [TOKEN] } })).toMatchObject({
      isPassed: true,
    });
  });

  it("cannot hide a secret behind an attribute", async () => {
    const repository = newRepository();
    repository.write(".gitattributes", "* binary -diff\n");
    repository.write("src/key.ts", TOKEN);
    expect(rulesOf(await judge(repository))).toEqual([["secret", "src/key.ts"]]);
  });

  it("contain a secret that a merge removed again, also from an unrelated history", async () => {
    const repository = newRepository();
    const { git, write } = repository;
    const [story, tree] = [git("rev-parse", "HEAD"), git("rev-parse", "HEAD^{tree}")];
    git("checkout", "--quiet", "--orphan", "unrelated");
    write("src/key.ts", TOKEN);
    git("add", "--all");
    git("commit", "--quiet", "--message=unrelated");
    const merge = ["commit-tree", tree, "-p", story, "-p", "HEAD", "-m", "merged"];
    git("reset", "--quiet", "--hard", git(...merge));
    expect(rulesOf(await judgeCommitted(repository, {}))).toEqual([["secret", "src/key.ts"]]);
    write("src/more.ts", "");
    expect(rulesOf(await judge(repository))).toEqual([["secret", "src/key.ts"]]);
  });

  it("contain a secret that a merge commit added and a later commit removed", async () => {
    const repository = newRepository();
    const { git, write } = repository;
    git("checkout", "--quiet", "-b", "side");
    write("src/side.ts", "side\n");
    git("add", "--all");
    git("commit", "--quiet", "--message=side");
    git("checkout", "--quiet", "main");
    git("merge", "--quiet", "--no-ff", "--no-commit", "side");
    write("src/side.ts", `side\n${TOKEN}\n`);
    git("commit", "--quiet", "--all", "--message=merged");
    const merge = git("rev-parse", "--short=12", "HEAD");
    write("src/side.ts", "side\n");
    const { findings } = await judge(repository);
    expect(findings).toMatchObject([{ rule: "secret", file: "src/side.ts", line: 2 }]);
    expect(findings[0]?.message).toContain(`in commit ${merge}.`);
  });

  it("contain a secret in a commit message, which is pushed too", async () => {
    const repository = newRepository();
    const { git, write } = repository;
    git("commit", "--quiet", "--allow-empty", `--message=Try it\n\ncurl -H ${TOKEN}\n`);
    const words = git("rev-parse", "--short=12", "HEAD");
    write("src/more.ts", "");
    const receipt = await judge(repository);
    expect(rulesOf(receipt)).toEqual([["secret", undefined]]);
    expect(receipt.findings[0]?.message).toContain(`in the message of commit ${words}.`);
    expect(JSON.stringify(receipt)).not.toContain(TOKEN);
    const settings = { secretsAllow: [TOKEN] };
    expect(await judgeCommitted(repository, { settings })).toMatchObject({ isPassed: true });
  });

  it("contain a secret in a message whatever encoding git shows messages in", async () => {
    const repository = newRepository();
    const { git } = repository;
    git("commit", "--quiet", "--allow-empty", `--message=with ${TOKEN}`);
    git("config", "i18n.logOutputEncoding", "UTF-16");
    expect(rulesOf(await judgeCommitted(repository, {}))).toEqual([["secret", undefined]]);
  });

  it("are not judged when their commit messages are too long to read", async () => {
    const repository = newRepository();
    const { path: cwd, env } = repository;
    const long = "commit refs/heads/main\ncommitter P <p@example.org> 0 +0000\ndata 50000000\n";
    const input = `${long}${"word \n".repeat(50_000_000 / 6 + 1).slice(0, 50_000_000)}\nfrom refs/heads/main^0\n`;
    execFileSync("git", ["fast-import", "--quiet"], { cwd, env, input });
    repository.git("commit", "--quiet", "--allow-empty", `--message=with ${TOKEN}`);
    await expect(judgeCommitted(repository, {})).rejects.toThrow("too long");
  });

  it.each(["replace", "graft"])("cannot hide a commit with a secret by a %s", async (how) => {
    const repository = newRepository();
    const { git, write } = repository;
    const first = git("rev-parse", "HEAD");
    write("src/key.ts", TOKEN);
    git("add", "--all");
    git("commit", "--quiet", "--message=key");
    write("src/key.ts", "none\n");
    git("commit", "--quiet", "--all", "--message=no key");
    if (how === "replace") git("replace", "--graft", "HEAD", first);
    else write(".git/info/grafts", `${git("rev-parse", "HEAD")} ${first}\n`);
    expect(git("rev-list", "--count", `${first}..HEAD`)).toBe("1");
    expect(rulesOf(await judgeCommitted(repository, {}))).toEqual([["secret", "src/key.ts"]]);
  });

  it("are judged quickly and reported briefly when there are very many", async () => {
    const repository = newRepository();
    commitMany(repository, 10_000);
    const before = process.cpuUsage();
    const receipt = await judgeCommitted(repository, { writeFiles: ["src/**"] });
    const { user, system } = process.cpuUsage(before);
    const undeclared = receipt.findings.filter(({ rule }) => rule === "undeclared");
    expect(undeclared).toHaveLength(21);
    expect(undeclared.at(-1)).toEqual({
      rule: "undeclared",
      key: "more",
      message: "9980 more findings of this kind.",
    });
    expect(receipt.findings.filter(({ rule }) => rule === "size")).toHaveLength(2);
    // Of the processor's time: a busy machine says nothing about us.
    expect((user + system) / 1000).toBeLessThan(6000);
  });
});
