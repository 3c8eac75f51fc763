import { expect, it } from "vitest";
import { readyStories, separate } from "../../test/support/ready-stories.ts";

const IDS = separate(5).map(({ id }) => id);

it.each([
  ["tasks", (id: string) => `Do ${id}`],
  ["merge", (id: string) => `Merge story/${id} into main`],
  ["squash", (id: string) => `Title of ${id}`],
])(
  "the target's history with %s has one line for each story, and none of Saga's own commits",
  async (history, subjectOf) => {
    const stories = separate(5).map((one) => ({ ...one, more: { title: `Title of ${one.id}` } }));
    // Below `[delivery]`.
    const { test, mergeAll } = await readyStories(stories, { config: `history = "${history}"\n` });
    const start = test.git("rev-parse", "main");
    for (const id of IDS) {
      expect(test.git("log", "--format=%s", `story/${id}`)).toContain("Update the state");
    }
    expect((await mergeAll()).every(({ kind }) => kind === "merged")).toBe(true);
    const subjects = test.git("log", "--first-parent", "--format=%s", `${start}..main`).split("\n");
    expect(subjects.toSorted()).toEqual(IDS.map(subjectOf).toSorted());
    const all = test.git("log", "--format=%s", `${start}..main`);
    expect(all).not.toMatch(/^(?:Start|Update the state|Complete)/m);
    // The branches are gone, and their commits stay reachable.
    expect(test.git("branch", "--list", "story/*")).toBe("");
    for (const id of IDS) {
      expect(test.git("log", "--format=%s", `refs/saga/merged/${id}`)).toContain(`Do ${id}`);
    }
  },
);
