import { describe, expect, it } from "vitest";
import { aStory, aTask } from "../../../test/support/project.ts";
import { newRepository, STORY, type TestRepository } from "../../../test/support/repository.ts";
import type { EditedDefinition } from "../../story/receipts/definition-text.ts";
import { readInitialDefinitions } from "./initial-definition.ts";

/** The story with these checks, committed. */
function commit(test: TestRepository, ...checks: string[]): string {
  test.write(`.saga/stories/${STORY}/story.json`, aStory(STORY, { checks }));
  test.write("code.txt", checks.join());
  test.git("add", "--all");
  test.git("commit", "--quiet", "--allow-empty", "--message=it");
  return test.git("rev-parse", "HEAD");
}

async function checksOf(
  test: TestRepository,
  at: { from: string; start?: string; edited?: EditedDefinition },
): Promise<unknown[]> {
  const { git } = await test.open();
  const tip = test.git("rev-parse", "HEAD");
  const range = { storyId: STORY, tip, start: undefined, edited: undefined, ...at };
  const initial = await readInitialDefinitions(git, range);
  return initial.map(({ story }) => story.checks);
}

describe("the initial definition of a story", () => {
  it("is the target's version, whatever the story's branch changed", async () => {
    const test = newRepository();
    const from = commit(test, "one");
    commit(test);
    expect(await checksOf(test, { from })).toEqual([["one"]]);
  });

  it("is that of the first commit that has one, if the target has none", async () => {
    const test = newRepository();
    const from = test.git("rev-parse", "main");
    test.git("commit", "--quiet", "--allow-empty", "--message=nothing");
    commit(test, "one");
    commit(test);
    expect(await checksOf(test, { from })).toEqual([["one"]]);
  });

  it("is the version that it was started with, even if the branch lost it", async () => {
    const test = newRepository();
    const from = commit(test, "one");
    const start = commit(test, "one", "two");
    test.git("reset", "--quiet", "--soft", from);
    commit(test);
    expect(await checksOf(test, { from, start })).toEqual([["one", "two"]]);
    expect(await checksOf(test, { from, start: "0".repeat(40) })).toEqual([["one"]]);
  });

  const edit = (from: string | undefined, ...checks: string[]): EditedDefinition => ({
    definition: { story: { checks, needsTesting: false, needsReview: false }, tasks: [] },
    from,
  });

  it("is a person's last edit, which replaces the start and the target's version", async () => {
    const test = newRepository();
    const from = commit(test, "one");
    const start = commit(test, "one", "two");
    const edited = edit(from, "one", "three");
    expect(await checksOf(test, { from, start, edited })).toEqual([["one", "three"]]);
  });

  it("includes the target's version if it was changed there since the start or the edit", async () => {
    const test = newRepository();
    const before = commit(test, "one");
    const start = commit(test, "one", "two");
    test.git("reset", "--quiet", "--hard", before);
    const from = commit(test, "three");
    expect(await checksOf(test, { from, start })).toEqual([["three"], ["one", "two"]]);
    const edited = edit(before, "four");
    expect(await checksOf(test, { from, start, edited })).toEqual([["three"], ["four"]]);
    expect(await checksOf(test, { from, start, edited: edit(from, "four") })).toEqual([["four"]]);
  });

  it("includes the target's version beside an edit of which the commit is not known", async () => {
    const test = newRepository();
    const from = commit(test, "one");
    expect(await checksOf(test, { from, edited: edit(undefined, "two") })).toEqual([
      ["one"],
      ["two"],
    ]);
  });

  it("is not an older version of the target, to which an agent has moved the branch", async () => {
    const test = newRepository();
    const older = commit(test);
    commit(test, "one");
    const start = commit(test, "one");
    test.git("reset", "--quiet", "--hard", older);
    commit(test);
    expect(await checksOf(test, { from: older, start })).toEqual([["one"]]);
    expect(await checksOf(test, { from: older, edited: edit(start, "two") })).toEqual([["two"]]);
  });

  it("includes its tasks, without invalid files", async () => {
    const test = newRepository();
    test.write(`.saga/stories/${STORY}/page.json`, aTask("page", { checks: ["two"] }));
    test.write(`.saga/stories/${STORY}/broken.json`, "{");
    test.write(`.saga/stories/${STORY}/.hidden.json`, aTask("hidden"));
    const from = commit(test, "one");
    const { git } = await test.open();
    const [initial] = await readInitialDefinitions(git, {
      storyId: STORY,
      from,
      tip: from,
      start: undefined,
      edited: undefined,
    });
    expect(initial?.tasks).toMatchObject([
      { id: "form", checks: [] },
      { id: "page", checks: ["two"] },
    ]);
  });

  it("is empty if the project ignores .saga", async () => {
    const test = newRepository();
    expect(await checksOf(test, { from: test.git("rev-parse", "main") })).toEqual([]);
  });
});
