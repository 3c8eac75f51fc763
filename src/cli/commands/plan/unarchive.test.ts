import { expect, it } from "vitest";
import { aStory, anEpic, newProject } from "../../../../test/support/project.ts";
import { misused, refused } from "../../../../test/support/refused.ts";

it("moves a story back, and says so again the second time", async () => {
  const project = newProject();
  project.write(".saga/archive/add-login/story.json", aStory("add-login", { status: "completed" }));
  expect((await project.saga("unarchive", "add-login")).exitCode).toBe(0);
  expect(project.json(".saga/stories/add-login/story.json")).toMatchObject({ id: "add-login" });
  const again = await project.saga("unarchive", "add-login");
  expect(again).toMatchObject({ exitCode: 0 });
  expect(again.stdout).toContain("not in the archive");
});

it("refuses a story that does not exist", async () => {
  expect((await refused(newProject(), "unarchive", "add-login")).message).toBe(
    "There is no story add-login.",
  );
});

it("moves all archived stories of an epic back, and no others", async () => {
  const project = newProject();
  const children = ["shop--cart", "shop--search"].map((id) => ({ id, blockedBy: [] }));
  const completed = { status: "completed", epic: "shop" };
  project.write(".saga/epics/shop/epic.json", anEpic("shop", children));
  project.write(".saga/archive/shop--cart/story.json", aStory("shop--cart", completed));
  project.write(".saga/stories/shop--search/story.json", aStory("shop--search", { epic: "shop" }));
  project.write(".saga/archive/add-login/story.json", aStory("add-login", { status: "completed" }));
  const { stdout } = await project.saga("unarchive", "--epic", "shop");
  expect(stdout).toMatch(/^shop--cart: moved to \S+\.saga\/stories\/shop--cart\n$/);
  expect(project.json(".saga/stories/shop--cart/story.json")).toMatchObject({ id: "shop--cart" });
  expect(project.json(".saga/archive/add-login/story.json")).toMatchObject({ id: "add-login" });
  const again = await project.saga("unarchive", "--epic", "shop");
  expect(again).toMatchObject({ exitCode: 0, stdout: "The epic shop has no archived stories.\n" });
});

it.each([[[]], [["add-login", "--epic", "shop"]]])("refuses %j", async (words) => {
  expect((await misused(newProject(), "unarchive", ...words)).message).toBe(
    "Name stories, or use --epic.",
  );
});
