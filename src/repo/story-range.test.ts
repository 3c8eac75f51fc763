import { expect, it } from "vitest";
import { addOrigin, newRepository, type TestRepository } from "../../test/support/repository.ts";
import { findBase } from "./repository.ts";
import { findStart, joinCommits, storyStart } from "./story-range.ts";

/** A commit on top of others, with one more file and on no branch. */
function commit(test: TestRepository, name: string, ...parents: string[]): string {
  test.git("checkout", "--quiet", "--detach", parents[0] ?? "main");
  test.write(name, `${name}\n`);
  test.git("add", name);
  const tree = test.git("write-tree");
  return test.git("commit-tree", tree, ...parents.flatMap((one) => ["-p", one]), "-m", name);
}

const at = (test: TestRepository, here: string, theirs: string): void => {
  test.git("update-ref", "refs/heads/main", here);
  test.git("update-ref", "refs/remotes/origin/main", theirs);
};

async function startOf(test: TestRepository, tip: string): Promise<string> {
  const repository = await test.open();
  return storyStart(repository.git, { base: await findBase(repository, "main"), tip });
}

function newPlace(): { test: TestRepository; first: string } {
  const test = newRepository();
  addOrigin(test);
  return { test, first: test.git("rev-parse", "main") };
}

it("a story that was started from the remote's commits begins there, even if the local branch is behind", async () => {
  const { test, first } = newPlace();
  const theirs = commit(test, "theirs", first);
  const tip = commit(test, "story", theirs);
  at(test, first, theirs);
  expect(await startOf(test, tip)).toBe(theirs);
  // And still does when the two have gone on, each in its own way.
  at(test, commit(test, "mine", first), commit(test, "more", theirs));
  expect(await startOf(test, tip)).toBe(theirs);
});

it("a story that was started from local commits begins there, even if the remote has moved on", async () => {
  const { test, first } = newPlace();
  const mine = commit(test, "mine", first);
  const tip = commit(test, "story", mine);
  at(test, mine, commit(test, "theirs", first));
  expect(await startOf(test, tip)).toBe(mine);
});

it("a story that merged both begins from both", async () => {
  const { test, first } = newPlace();
  const [mine, theirs] = [commit(test, "mine", first), commit(test, "theirs", first)];
  at(test, mine, theirs);
  const begun = commit(test, "story", theirs);
  test.git("checkout", "--quiet", "--detach", begun);
  test.git("merge", "--quiet", "--no-edit", mine);
  const tip = test.git("rev-parse", "HEAD");
  const start = await startOf(test, tip);
  expect(test.git("diff", "--name-only", start, tip)).toBe("story");
  expect(test.git("rev-list", "--no-merges", `${start}..${tip}`)).toBe(begun);
});

it("the join of two conflicting commits contains their conflicts", async () => {
  const { test, first } = newPlace();
  const one = commit(test, "same", first);
  test.git("checkout", "--quiet", "--detach", first);
  test.write("same", "other\n");
  test.git("add", "same");
  test.git("commit", "--quiet", "--message=other");
  const other = test.git("rev-parse", "HEAD");
  const { git } = await test.open();
  expect(test.git("show", `${await joinCommits(git, one, other)}:same`)).toContain("<<<<<<<");
});

it("a story without a commit in common with its target has no known start", async () => {
  const { test, first } = newPlace();
  const tip = test.git("commit-tree", `${first}^{tree}`, "-m", "other");
  const { git } = await test.open();
  const story = { base: { commit: first, copies: [first] }, tip };
  expect(await findStart(git, story)).toBeUndefined();
  expect(await storyStart(git, story)).toBe(first);
});
