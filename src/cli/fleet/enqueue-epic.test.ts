import { expect, it } from "vitest";
import { newFleetProject } from "../../../test/support/fleet-project.ts";
import { usePostgres } from "../../../test/support/postgres.ts";
import { aStory, anEpic } from "../../../test/support/project.ts";

const postgres = usePostgres();

it("refuses stories that other machines cannot see, and queues none", async () => {
  const { ann, saga } = await newFleetProject(await postgres());
  ann.write(".saga/epics/blog/epic.json", anEpic("blog", [{ id: "post" }]));
  ann.write(".saga/stories/post/story.json", aStory("post", { epic: "blog" }));
  const refused = await saga(ann, "epic", "run", "blog", "--fleet", "--detach");
  expect(refused).toMatchObject({ exitCode: 1 });
  const why =
    ".saga/epics/blog/epic.json, .saga/stories/post/story.json are not in main at origin.";
  expect(refused.stderr).toContain(why);
  // Committed, and not pushed.
  ann.git("add", "--all");
  ann.git("commit", "--quiet", "--message=blog");
  const again = await saga(ann, "epic", "run", "blog", "--fleet", "--detach");
  expect(again.stderr).toContain(why);
  ann.git("remote", "set-url", "origin", "/no/such/remote.git");
  const offline = await saga(ann, "epic", "run", "shop", "--fleet", "--detach");
  expect(offline.stderr).toContain("main could not be fetched from origin");
  expect((await saga(ann, "fleet", "status", "--json")).json()).toMatchObject({ stories: [] });
});

it("sees what others pushed since", async () => {
  const { ann, bob, saga } = await newFleetProject(await postgres());
  ann.write(".saga/epics/blog/epic.json", anEpic("blog", [{ id: "post" }]));
  ann.write(".saga/stories/post/story.json", aStory("post", { epic: "blog" }));
  ann.git("add", "--all");
  ann.git("commit", "--quiet", "--message=blog");
  ann.git("push", "--quiet", "origin", "HEAD:main");
  bob.git("pull", "--quiet", "--ff-only");
  const queued = await saga(bob, "epic", "run", "blog", "--fleet", "--detach", "--json");
  expect(queued.json()).toMatchObject({ queued: ["post"] });
});

it("starts what waits for a story whose merge the database does not know", async () => {
  const { ann, saga } = await newFleetProject(await postgres());
  await saga(ann, "epic", "run", "shop", "--fleet", "--detach");
  for (const id of ["cart", "price"]) {
    for (const file of ["story", `do-${id}`]) {
      const path = `.saga/stories/${id}/${file}.json`;
      const done = { ...(JSON.parse(ann.read(path)) as object), status: "completed" };
      ann.write(path, done);
    }
  }
  ann.git("commit", "--quiet", "--all", "--message=by hand");
  ann.git("push", "--quiet", "origin", "HEAD:main");
  expect((await saga(ann, "fleet", "status")).stdout).toMatch(/order +waits for other stories/);
  expect((await saga(ann, "fleet", "sync")).exitCode).toBe(0);
  expect((await saga(ann, "fleet", "status")).stdout).toMatch(/order +queued/);
});
