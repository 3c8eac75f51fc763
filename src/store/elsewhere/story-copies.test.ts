import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { aStory, aTask, newProject } from "../../../test/support/project.ts";
import { openStore } from "../file-store.ts";
import { layoutOf } from "../project/layout.ts";
import { listCopies, removeCopy, saveCopy } from "./story-copies.ts";

const done = { status: "completed" };

function newCopy() {
  const project = newProject();
  project.write(".saga/stories/cart/story.json", aStory("cart"));
  project.write(".saga/stories/cart/one.json", aTask("one"));
  const at = layoutOf(project.path);
  const files = new Map([
    ["story.json", JSON.stringify(aStory("cart", done))],
    ["one.json", JSON.stringify(aTask("one", done))],
  ]);
  saveCopy(at, { storyId: "cart", commit: "1", files });
  return { project, at, store: openStore(project.path), files };
}

it("counts more than the files of this machine, until it is removed", async () => {
  const { at, store } = newCopy();
  expect(listCopies(at)).toEqual(new Map([["cart", "1"]]));
  const view = await store.viewStory("cart");
  expect(view).toMatchObject({ state: "review", record: { source: "elsewhere" } });
  expect((await store.overview()).stories.get("cart")?.state).toBe("review");
  removeCopy(at, "cart");
  removeCopy(at, "cart");
  expect((await store.viewStory("cart")).record.source).toBe("project");
  expect(listCopies(at).size).toBe(0);
});

it("counts less than a checkout or an archive that has the merged story", async () => {
  const { project, store } = newCopy();
  project.write(".saga/stories/cart/story.json", aStory("cart", done));
  project.write(".saga/stories/cart/one.json", aTask("one", done));
  expect(await store.viewStory("cart")).toMatchObject({ state: "completed" });
  expect((await store.overview()).stories.get("cart")?.state).toBe("completed");
  await store.archive(["cart"]);
  expect((await store.overview()).stories.has("cart")).toBe(false);
});

it("is replaced as a whole, and dropped if the story is gone", () => {
  const { at, files } = newCopy();
  const next = new Map([...files, ["two.json", JSON.stringify(aTask("two"))]]);
  next.delete("one.json");
  saveCopy(at, { storyId: "cart", commit: "2", files: next });
  const folder = join(at.saga, "elsewhere/stories/cart");
  expect(existsSync(join(folder, "one.json"))).toBe(false);
  expect(existsSync(join(folder, "two.json"))).toBe(true);
  expect(listCopies(at)).toEqual(new Map([["cart", "2"]]));
  saveCopy(at, { storyId: "cart", commit: "3", files: new Map() });
  expect(existsSync(folder)).toBe(false);
});

it("cannot be changed here: that would not reach the other machine", async () => {
  const { store } = newCopy();
  const entry = { kind: "note", at: new Date().toISOString(), title: "x", body: "" } as const;
  const refusals = [
    () => store.updateStory("cart", (fields) => ({ ...fields, title: "x" })),
    () => store.setTaskStatus("cart", "one", "pending"),
    () => store.appendJournal("cart", { ...entry, blocker: undefined }),
    () => store.archive(["cart"]),
    () => store.remove({ kind: "story", id: "cart" }, { isDryRun: false } as never),
  ];
  for (const act of refusals) {
    await expect(act()).rejects.toThrow(
      "The current files of cart are on another machine of the fleet.",
    );
  }
  const plan = { epics: [], stories: [{ fields: aStory("cart", { title: "x" }), tasks: [] }] };
  const staged = await store.stage(plan as never, { canUpdate: true, source: { name: "plan" } });
  expect(staged.problems).toMatchObject([
    {
      severity: "error",
      message: "The current files of cart are on another machine of the fleet.",
    },
  ]);
});
