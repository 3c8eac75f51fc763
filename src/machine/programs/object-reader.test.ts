import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { root } from "../../../test/support/programs.ts";
import { newRepository, type TestRepository } from "../../../test/support/repository.ts";
import { endReaders, isSharedName, objectInfo, readObjects } from "./object-reader.ts";

/** The processes that read objects of this repository. */
const readersOf = ({ path }: TestRepository): number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
        return (
          command.includes("--batch-command") && readlinkSync(`/proc/${pid}/cwd`) === `${path}/.git`
        );
      } catch {
        return false;
      }
    });

describe("objects of a repository", () => {
  it("are found by id, by ref and by path, all in one process", async () => {
    const test = newRepository();
    const { git } = await test.open();
    const commit = test.git("rev-parse", "main");
    const names = ["refs/heads/main", `${commit}^{tree}`, `${commit}:src/main.ts`];
    expect(await objectInfo(git, names)).toEqual([
      { id: commit, type: "commit", bytes: Number(test.git("cat-file", "-s", commit)) },
      {
        id: test.git("rev-parse", "main^{tree}"),
        type: "tree",
        bytes: Number(test.git("cat-file", "-s", "main^{tree}")),
      },
      { id: test.git("rev-parse", "main:src/main.ts"), type: "blob", bytes: 11 },
    ]);
    const [file, none] = await readObjects(git, [
      `${commit}:src/main.ts`,
      `${commit}:not here at all`,
    ]);
    expect([file?.content.toString(), none]).toEqual(["export {};\n", undefined]);
    expect(readersOf(test)).toHaveLength(1);
  });

  it("are those of this moment, also behind a moved ref, a packed one, and in a new pack", async () => {
    const test = newRepository();
    const { git } = await test.open();
    const read = async (): Promise<string | undefined> =>
      (await objectInfo(git, ["refs/heads/main^{commit}"]))[0]?.id;
    const answers = [await read()];
    for (const pack of [[], ["pack-refs", "--all"], ["repack", "-a", "-d", "--quiet"]]) {
      test.git("commit", "--quiet", "--allow-empty", "--message=more");
      if (pack.length > 0) test.git(...pack);
      answers.push(await read());
      expect(answers.at(-1)).toBe(test.git("rev-parse", "main"));
    }
    expect(new Set(answers).size).toBe(4);
    test.git("update-ref", "-d", "refs/heads/main");
    expect(await read()).toBeUndefined();
    expect(readersOf(test)).toHaveLength(1);
  });

  it("of any size and content arrive whole", async () => {
    const test = newRepository();
    const { git } = await test.open();
    const contents = [
      Buffer.alloc(3_000_000, "0123456789\n"),
      Buffer.from([0, 10, 255]),
      Buffer.of(),
    ];
    const ids = contents.map((input) =>
      execFileSync("git", ["hash-object", "-w", "--stdin"], { cwd: test.path, input })
        .toString()
        .trim(),
    );
    const found = await Promise.all([readObjects(git, ids), readObjects(git, ids.toReversed())]);
    for (const [at, content] of contents.entries()) {
      expect(found[0][at]?.content.equals(content)).toBe(true);
      expect(found[1][contents.length - 1 - at]?.content.equals(content)).toBe(true);
    }
  });

  it("are not taken for missing when git is killed: that is an error, and the next question works", async () => {
    const test = newRepository();
    const { git } = await test.open();
    await objectInfo(git, ["refs/heads/main"]);
    const [pid = 0] = readersOf(test);
    // It cannot answer any more, but is not dead yet.
    process.kill(pid, "SIGSTOP");
    const answer = objectInfo(git, ["refs/heads/main"]);
    process.kill(pid, "SIGKILL");
    await expect(answer).rejects.toThrow("gave no answer");
    expect(await objectInfo(git, ["refs/heads/main"])).toMatchObject([{ type: "commit" }]);
  });

  it("do not keep this process from ending, and their reader ends with it", async () => {
    const test = newRepository();
    const contents = `
      import { openGit } from "./src/machine/programs/git.ts";
      import { objectInfo } from "./src/machine/programs/object-reader.ts";
      const git = openGit(${JSON.stringify(test.path)}, process.env);
      objectInfo(git, ["refs/heads/main"]).then(([found]) => console.log(found.type));
    `;
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: root },
      bundle: true,
      write: false,
      platform: "node",
    });
    const started = performance.now();
    const script = ["--eval", outputFiles[0]?.text ?? ""];
    const output = execFileSync(process.execPath, script, { env: test.env, encoding: "utf8" });
    expect(output).toBe("commit\n");
    // An idle reader would end by itself only then.
    expect(performance.now() - started).toBeLessThan(10_000);
    await expect.poll(() => readersOf(test)).toEqual([]);
  });
});

it("their reader can be ended, and another one opens for the next question", async () => {
  const test = newRepository();
  const { git } = await test.open();
  await objectInfo(git, ["refs/heads/main"]);
  expect(readersOf(test)).toHaveLength(1);
  await endReaders(test.env);
  expect(readersOf(test)).toEqual([]);
  expect(await objectInfo(git, ["refs/heads/main"])).toMatchObject([{ type: "commit" }]);
  await endReaders(test.env);
  await endReaders(test.env);
});

it("a name of one worktree is refused", async () => {
  const { git } = await newRepository().open();
  await expect(objectInfo(git, ["HEAD^{tree}"])).rejects.toThrow(
    "names a different commit in each worktree",
  );
});

it("only names that mean the same in every worktree are for it", () => {
  const commit = "a".repeat(40);
  const shared = [commit, `${commit}^1`, `${commit}:x y`, "refs/heads/a", "refs/saga/keep/a/1"];
  expect(shared.filter(isSharedName)).toEqual(shared);
  const others = [
    "HEAD",
    "MERGE_HEAD",
    "main",
    "refs/worktree/x",
    "refs/bisect/bad",
    `${commit}\nx`,
  ];
  expect(others.filter(isSharedName)).toEqual([]);
});
