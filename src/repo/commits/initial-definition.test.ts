import { describe, expect, it } from "vitest";
import { aStory, aTask } from "../../../test/support/project.ts";
import { newRepository, STORY, type TestRepository } from "../../../test/support/repository.ts";
import type { GateDefinition } from "../../story/receipts/weakened-definition.ts";
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
  at: { from: string; start?: string; edited?: GateDefinition },
): Promise<unknown[]> {
  const { git } = await test.open();
  const tip = test.git("rev-parse", "HEAD");
  const range = { storyId: STORY, tip, start: undefined, edited: undefined, ...at };
  const began = await readInitialDefinitions(git, range);
  return began.map(({ story }) => story.checks);
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

  it("includes the version that it was started with, even if the branch lost it", async () => {
    const test = newRepository();
    const from = commit(test, "one");
    const start = commit(test, "one", "two");
    test.git("reset", "--quiet", "--soft", from);
    commit(test);
    expect(await checksOf(test, { from, start })).toEqual([["one"], ["one", "two"]]);
    expect(await checksOf(test, { from, start: "0".repeat(40) })).toEqual([["one"]]);
  });

  it("includes a person's last edit, which replaces the start", async () => {
    const test = newRepository();
    const from = commit(test, "one");
    const start = commit(test, "one", "two");
    const story = { checks: ["three"], needsTesting: false, needsReview: false };
    const edited = { story, tasks: [] };
    expect(await checksOf(test, { from, start, edited })).toEqual([["one"], ["three"]]);
  });

  it("includes its tasks, without invalid files", async () => {
    const test = newRepository();
    test.write(`.saga/stories/${STORY}/page.json`, aTask("page", { checks: ["two"] }));
    test.write(`.saga/stories/${STORY}/broken.json`, "{");
    test.write(`.saga/stories/${STORY}/.hidden.json`, aTask("hidden"));
    const from = commit(test, "one");
    const { git } = await test.open();
    const [began] = await readInitialDefinitions(git, {
      storyId: STORY,
      from,
      tip: from,
      start: undefined,
      edited: undefined,
    });
    expect(began?.tasks).toMatchObject([
      { id: "form", checks: [] },
      { id: "page", checks: ["two"] },
    ]);
  });

  it("is empty if the project ignores .saga", async () => {
    const test = newRepository();
    expect(await checksOf(test, { from: test.git("rev-parse", "main") })).toEqual([]);
  });
});
