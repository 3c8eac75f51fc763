import { join } from "node:path";
import { expect, it } from "vitest";
import { openLocalForge } from "../../src/machine/forge/forge-local.ts";
import { onGithub } from "../support/on-github.ts";
import { anEpic, aStory, aTask } from "../support/project.ts";
import { newStage, type Stage } from "../support/stage.ts";

const EPIC_BRANCH = '[delivery]\nkind = "epic-branch"\n';
const STORIES = ["shop--cart", "shop--till"] as const;

/** Two stories, the second after the first, planned and pushed. Answers with main's commit. */
function planShop(stage: Stage, bare: string): string {
  const [cart, till] = STORIES;
  const children = [{ id: cart }, { id: till, blockedBy: [cart] }];
  stage.write(".saga/epics/shop/epic.json", anEpic("shop", children));
  for (const id of STORIES) {
    const task = id.replace("--", "-");
    stage.write(`.saga/stories/${id}/story.json`, aStory(id, { epic: "shop" }));
    stage.write(`.saga/stories/${id}/${task}.json`, aTask(task));
  }
  stage.git("add", "--all");
  stage.git("commit", "--quiet", "--message=Plan");
  stage.git("push", "--quiet", bare, "main");
  return stage.git("rev-parse", "main");
}

async function runShop(stage: Stage, env: Record<string, string>): Promise<void> {
  const ended = await stage.runWith({ env }, "epic", "run", "shop", "--parallel", "2", "--json");
  expect(ended.exitCode, ended.stdout + ended.stderr).toBe(0);
  expect(JSON.parse(ended.stdout)).toMatchObject({ isDone: true, open: [] });
}

/** Both are in the epic's branch at the remote, each once, and main is where it was, here and there. */
function expectInEpic(stage: Stage, bare: string, main: string): void {
  const there = (...words: string[]): string => stage.git("-C", bare, ...words);
  const tasks = there("log", "--format=%(trailers:key=Saga-Task,valueonly)", "epic/shop");
  const done = tasks.split("\n").filter((line) => line !== "");
  expect(done.toSorted()).toEqual(["shop-cart", "shop-till"]);
  expect(there("ls-tree", "--name-only", "epic/shop", "rehearsal/").split("\n")).toEqual([
    "rehearsal/shop-cart.md",
    "rehearsal/shop-till.md",
  ]);
  expect(there("rev-parse", "main")).toBe(main);
  expect(stage.git("rev-parse", "main")).toBe(main);
  expect(stage.git("status", "--short", "--untracked-files=no")).toBe("");
}

it("an epic on GitHub is one branch there and one pull request into main, ready when it is done", async () => {
  const { stage, github, env } = await onGithub({ config: EPIC_BRANCH });
  const bare = join(stage.home, "shop.git");
  const main = planShop(stage, bare);
  await runShop(stage, env);
  expectInEpic(stage, bare, main);
  const intoMain = () => github.pulls.filter(({ base }) => base === "main");
  expect(intoMain()).toMatchObject([
    { head: "epic/shop", title: "Epic: shop", draft: false, state: "open" },
  ]);
  const others = github.pulls.filter(({ base }) => base !== "main");
  expect(others.map(({ head, base, merged_at: at }) => [head, base, typeof at])).toEqual(
    STORIES.map((id) => [`story/${id}`, "epic/shop", "string"]),
  );
  // Once more there is nothing to do, and nothing new.
  await runShop(stage, env);
  expect(intoMain()).toHaveLength(1);
  expect(github.pulls).toHaveLength(3);
  const merged = await stage.runWith({ env }, "merge", "shop", "--json");
  expect(merged.exitCode, merged.stderr).toBe(0);
  expect(intoMain()).toMatchObject([{ merged_at: expect.any(String) as string }]);
});

it("an epic with a plain remote is one branch there and one pull request into main here", async () => {
  const stage = await newStage({ config: `[git]\npush = "always"\n${EPIC_BRANCH}` });
  const bare = join(stage.home, "shop.git");
  stage.git("clone", "--quiet", "--bare", stage.path, bare);
  stage.git("remote", "add", "origin", bare);
  const main = planShop(stage, bare);
  await runShop(stage, {});
  expectInEpic(stage, bare, main);
  const forge = openLocalForge(join(stage.path, ".git/saga/pulls"), Date.now);
  expect(await forge.find("epic/shop")).toMatchObject({ base: "main", isDraft: false });
  for (const id of STORIES) {
    expect(await forge.find(`story/${id}`)).toMatchObject({ base: "epic/shop", state: "merged" });
  }
});
