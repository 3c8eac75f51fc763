import { expect, it } from "vitest";
import { aStory, aTask, newProject } from "../../../../test/support/project.ts";
import { misused, refused } from "../../../../test/support/refused.ts";

function newStories(...ids: string[]) {
  const project = newProject();
  for (const id of ids) {
    project.write(
      `.saga/stories/${id}/story.json`,
      aStory(id, id === "urgent" ? { priority: 0 } : {}),
    );
    project.write(`.saga/stories/${id}/form.json`, aTask("form"));
  }
  return project;
}

it("without a story, a script is told which one is next", async () => {
  const { message, hint } = await misused(newStories("later", "urgent"), "run");
  expect([message, hint]).toEqual([
    "Missing argument <story>.",
    "Name a story, or start the next one (now urgent): `saga run --next`.",
  ]);
  expect((await misused(newStories(), "run")).hint).toContain("No story can be started now");
});

it("--next needs a story that can be started, and no other argument", async () => {
  expect((await refused(newStories(), "run", "--next")).message).toBe(
    "No story can be started now.",
  );
  expect((await misused(newStories("a"), "run", "a", "--next")).message).toBe(
    "--next takes no story.",
  );
});

it("--next and the picker start that story: here, outside a repository, it is refused by its name", async () => {
  const project = newStories("later", "urgent");
  expect((await refused(project, "run", "--next")).message).toContain("git");
  const { stderr } = await project.sagaAnswered({ answer: "", choice: "later" }, "run");
  expect(stderr).toContain("saga run: which story or epic?\nurgent  ready: Title of urgent\n");
});
