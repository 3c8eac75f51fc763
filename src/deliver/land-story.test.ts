import { expect, it } from "vitest";
import { readyStories, separate } from "../../test/support/ready-stories.ts";
import { styleOf } from "./land-story.ts";

it("the setting decides how a story arrives, except that GitHub must see the story's own commits", () => {
  const styles = (["tasks", "merge", "squash"] as const).map((history) => [
    styleOf(history, "local"),
    styleOf(history, "github"),
  ]);
  expect(styles).toEqual([
    ["rebase", "merge-commit"],
    ["merge-commit", "merge-commit"],
    ["squash", "merge-commit"],
  ]);
});

it.each([
  ["squash", ["story-1", "story-2"]],
  ["merge", ["Merge story/story-1 into main", "Merge story/story-2 into main"]],
])(
  "a story that arrived with history = %s counts as merged everywhere",
  async (history, subjects) => {
    const { test, mergeAll, checksRun } = await readyStories(separate(2), {
      config: `history = "${history}"\n`,
    });
    const was = test.git("rev-parse", "main");
    const merged = await mergeAll();
    expect(merged.map(({ kind }) => kind)).toEqual(["merged", "merged"]);
    const log = test.git("log", "--reverse", "--first-parent", "--format=%s", `${was}..main`);
    const found = log.split("\n").toSorted();
    expect(found.map((one, at) => one.includes(subjects[at] ?? "none"))).toEqual([true, true]);
    expect(test.git("log", "--format=%s", `${was}..main`)).not.toMatch(
      /Start story|Update the state/,
    );
    // Its branch is gone; the record keeps its commits.
    expect(test.git("for-each-ref", "refs/heads/story")).toBe("");
    expect(
      test.git("for-each-ref", "--format=%(refname)", "refs/saga/merged").split("\n"),
    ).toHaveLength(2);
    const runs = checksRun().length;
    const [again] = await mergeAll(["story-1"]);
    expect(again).toMatchObject({ exitCode: 0, json: { kind: "merged", wasThere: true } });
    expect(checksRun()).toHaveLength(runs);
    const shown = await test.saga("show", "story-1", "--json");
    expect(shown.json()).toMatchObject({ state: "completed" });
  },
);
