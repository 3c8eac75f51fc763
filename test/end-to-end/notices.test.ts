// Notifications: those that need a person, and those that do not.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { saga } from "../support/finished-stage.ts";
import { anEpic, aStory, aTask } from "../support/project.ts";
import { newStage, STORY, type Stage } from "../support/stage.ts";

const MESSAGE =
  '[notices]\ncommand = "echo $SAGA_NOTICE_KIND $SAGA_NOTICE_STORY >> \\"$SAGA_NOTICE_PROJECT/../notices\\""\n';

const notices = (stage: Stage): string[] =>
  existsSync(join(stage.path, "../notices")) ? stage.read("../notices").trimEnd().split("\n") : [];

async function newEpic(): Promise<Stage> {
  const stage = await newStage({ config: `${MESSAGE}[git]\nbase = "main"\n` });
  stage.write(".saga/epics/shop/epic.json", anEpic("shop", [{ id: "shop--one", blockedBy: [] }]));
  stage.write(".saga/stories/shop--one/story.json", aStory("shop--one", { epic: "shop" }));
  stage.write(".saga/stories/shop--one/cart.json", aTask("cart"));
  stage.git("add", "--all");
  stage.git("commit", "--quiet", "--message=Plan");
  stage.git("switch", "--quiet", "--create", "elsewhere");
  return stage;
}

it("an epic that merges its stories sends no notification for them, and one when it is done", async () => {
  const stage = await newEpic();
  const ended = await stage.run("epic", "run", "shop", "--merge");
  expect(ended.exitCode, ended.stdout + ended.stderr).toBe(0);
  expect(notices(stage)).toEqual(["epic-done"]);
  expect((await stage.run("epic", "run", "shop", "--merge")).exitCode).toBe(0);
  expect(notices(stage)).toEqual(["epic-done"]);
});

it("an epic that leaves the merge to a person sends a notification for each story", async () => {
  const stage = await newEpic();
  expect((await stage.run("epic", "run", "shop")).exitCode).toBe(4);
  await expect.poll(() => notices(stage).toSorted()).toEqual(["epic-stopped", "review shop--one"]);
});

it("a question from a merge causes one notification", async () => {
  const resolve = [{ write: "README.md", content: "# Both\n" }];
  const stage = await newStage({
    config: MESSAGE,
    tasks: [aTask("form")],
    steps: { form: [{ write: "README.md", content: "# Ours\n" }], "resolve-conflict": resolve },
  });
  const onMain = (readme: string): void => {
    stage.git("switch", "--quiet", "main");
    stage.write("README.md", readme);
    stage.git("commit", "--quiet", "--all", `--message=${readme.trim()}`);
    stage.git("switch", "--quiet", "-C", "elsewhere");
  };
  expect((await stage.work()).exitCode).toBe(0);
  onMain("# Theirs\n");
  expect((await saga(stage, "merge", STORY, "--json")).json()).toMatchObject({ kind: "conflict" });
  const resolved = await stage.work();
  expect(resolved.exitCode, resolved.stdout).toBe(0);
  expect(notices(stage)).toEqual([`review ${STORY}`, `review ${STORY}`]);
  onMain("# Theirs again\n");
  const again = await saga(stage, "merge", STORY, "--json");
  expect(again.json()).toMatchObject({ kind: "conflict" });
  expect(again.json()).not.toHaveProperty("taskId");
  expect(notices(stage).slice(2)).toEqual([`blocked ${STORY}`]);
});
