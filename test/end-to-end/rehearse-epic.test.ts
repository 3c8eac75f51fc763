import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { anEpic, aStory, aTask } from "../support/project.ts";
import { newStage, type Stage } from "../support/stage.ts";
import { expectExit } from "../support/expect-exit.ts";

/** Two with a task of the same name, and two without tasks, which must not change the same file. */
const IDS = ["shop--base", "shop--cart", "shop--mail", "shop--post"];

/** On the target's own branch, and not committed yet, like a new plan. */
async function newEpic(checks: readonly string[] = [], config = ""): Promise<Stage> {
  const stage = await newStage({ config });
  const children = IDS.map((id, at) => ({ id, blockedBy: at === 0 ? [] : ["shop--base"] }));
  stage.write(".saga/epics/shop/epic.json", anEpic("shop", children));
  for (const id of IDS.slice(2)) {
    stage.write(`.saga/stories/${id}/story.json`, aStory(id, { epic: "shop" }));
  }
  for (const id of IDS.slice(0, 2)) {
    const writeFiles = [`src/${id}/**`];
    stage.write(`.saga/stories/${id}/story.json`, aStory(id, { epic: "shop", writeFiles }));
    stage.write(`.saga/stories/${id}/work.json`, aTask("work", { writeFiles, checks }));
  }
  return stage;
}

/** Gives the stage a temporary folder of its own. Returns what is in it. */
function watchTemporary({ home, env }: Stage): () => string[] {
  const folder = join(home, "temporary");
  mkdirSync(folder);
  Object.assign(env, { TMPDIR: folder });
  return () => readdirSync(folder).filter((name) => name.startsWith("saga-rehearsal-"));
}

it("an epic is rehearsed completely, with merges, and the project is not changed", async () => {
  const stage = await newEpic();
  const before = [stage.git("rev-parse", "HEAD"), stage.git("status", "--short")];
  const copies = watchTemporary(stage);
  const ended = await expectExit(
    0,
    stage.run("epic", "run", "shop", "--parallel", "2", "--rehearse", "--json"),
  );
  expect(JSON.parse(ended.stdout)).toMatchObject({ epic: "shop", isDone: true, open: [] });
  for (const id of IDS) expect(ended.stderr).toContain(`${id}: merged into main`);

  expect([stage.git("rev-parse", "HEAD"), stage.git("status", "--short")]).toEqual(before);
  expect(existsSync(join(stage.path, ".saga/runs/shop--base"))).toBe(false);
  expect(existsSync(join(stage.path, ".saga/worktrees/shop--base"))).toBe(false);
  // The model that the project would have paid for.
  expect(stage.model.turns()).toBe(0);
  expect(stage.sessions().filter((name) => name.startsWith("saga-"))).toEqual([]);
  expect(copies()).toEqual([]);
});

it("a failed rehearsal of an epic says so, and how it can pass", async () => {
  const stage = await newEpic(["test -e what-no-script-writes"], "[gate]\nfix_rounds = 0\n");
  const ended = await expectExit(1, stage.run("epic", "run", "shop", "--rehearse"));
  expect(ended.stdout).toContain("Rehearsal failed");
  expect(stage.sessions().filter((name) => name.startsWith("saga-"))).toEqual([]);
});
