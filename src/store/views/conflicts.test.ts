import { expect, it } from "vitest";
import { aStory, aTask, newProject } from "../../../test/support/project.ts";
import { openStore } from "../file-store.ts";
import { readConflicts, readConflictsOf, readConflictsWith } from "./conflicts.ts";

const AT = "2026-01-01T00:00:00.000Z";

it("leaves out stories that have not begun, are completed or do not exist", async () => {
  const project = newProject();
  const store = openStore(project.path);
  const statuses = { one: "in_progress", two: "in_progress", three: "completed", four: "pending" };
  const names = [...Object.keys(statuses), "gone"];
  for (const [id, status] of Object.entries(statuses)) {
    project.write(`.saga/stories/${id}/story.json`, aStory(id, { status }));
    project.write(`.saga/stories/${id}/t.json`, aTask("t", { status }));
  }
  for (const story of names) {
    const others = story === "one" ? names.filter((name) => name !== story) : [];
    await store.openWorks.write({
      story,
      title: story,
      intent: "",
      tip: "1",
      changes: { paths: ["a"], emptied: [], isEverything: false },
      merges: others.map((name) => ({ kind: "story", name, commit: "1", files: ["a"], since: AT })),
      at: AT,
    });
  }
  const { stories } = await store.overview();
  const found = await readConflicts(store, stories);
  expect(found.map(({ story, with: { name } }) => [story, name])).toEqual([["one", "two"]]);
  for (const id of ["one", "two"]) {
    expect(await readConflictsWith(store, await store.viewStory(id))).toEqual(found);
  }
  expect(await readConflictsWith(store, await store.viewStory("three"))).toEqual([]);
  const some = await readConflictsOf(store, ["one", "three"]);
  expect(some.map(({ story, with: { name } }) => [story, name])).toEqual([["one", "three"]]);
});
