import { expect, it } from "vitest";
import { aStory, newProject } from "../../../test/support/project.ts";
import { openStore } from "../../store/file-store.ts";
import { leaseStory } from "./lease.ts";

it("one worker has a story, and the next one reads who it is", async () => {
  const project = newProject();
  project.write(".saga/stories/one/story.json", aStory("one"));
  const [first, second] = [openStore(project.path), openStore(project.path)];
  const { lease } = await leaseStory(first, "one", "saga-one-1");
  expect((await leaseStory(second, "one", "saga split")).heldBy).toMatchObject({
    owner: "saga-one-1",
  });
  expect((await leaseStory(second, "two", "saga split")).lease).toBeDefined();
  await lease?.release();
  expect((await leaseStory(second, "one", "saga split")).lease).toBeDefined();
});
