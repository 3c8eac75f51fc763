import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { builtSaga, runNode } from "../support/programs.ts";
import { expectNothingLeft, newStage, STORY, type Stage } from "../support/stage.ts";
import { expectExit } from "../support/expect-exit.ts";

async function expectDone(stage: Stage): Promise<void> {
  await expectExit(0, stage.work());
  expect(stage.commits()).toEqual(["form", "page"]);
  await expectNothingLeft(stage);
}

it("continues from the branch when the worktree is missing", async () => {
  const stage = await newStage();
  await stage.work("--max-cost", "0.004");
  stage.git("worktree", "remove", "--force", stage.worktree);
  expect(existsSync(stage.worktree)).toBe(false);
  await expectDone(stage);
});

it("keeps uncommitted work that it finds in the worktree", async () => {
  const stage = await newStage({ script: () => ({ kind: "refuse", status: 400, message: "No." }) });
  await stage.work();
  writeFileSync(join(stage.worktree, "mine.txt"), "precious\n");
  await stage.work();
  const keeps = await stage.run("keep", "list", STORY, "--json");
  expect(JSON.parse(keeps.stdout)).toMatchObject({
    keeps: [{ storyId: STORY, number: 1, files: 1 }],
  });
  expect(readFileSync(join(stage.worktree, "mine.txt"), "utf8")).toBe("precious\n");

  writeFileSync(join(stage.worktree, "mine.txt"), "spoilt\n");
  const restored = await stage.run("keep", "restore", STORY, "1");
  expect(restored.stdout).toContain("Restored snapshot");
  expect(readFileSync(join(stage.worktree, "mine.txt"), "utf8")).toBe("precious\n");
});

it("never works in a folder that is not the story's worktree", async () => {
  const stage = await newStage();
  stage.write(`.saga/worktrees/${STORY}/someones.txt`, "keep me\n");
  const ended = await expectExit(1, stage.work("--json"));
  expect(JSON.parse(ended.stdout)).toMatchObject({
    outcome: "failed",
    reason: expect.stringContaining(STORY) as string,
  });
  expect(stage.model.turns()).toBe(0);
  expect(stage.read(`.saga/worktrees/${STORY}/someones.txt`)).toBe("keep me\n");
  expect(stage.git("log", "--format=%s", "main")).toBe("First");
});

it("continues after the whole project was moved", async () => {
  const stage = await newStage();
  await stage.work("--max-cost", "0.004");
  writeFileSync(join(stage.worktree, "mine.txt"), "precious\n");
  const moved = `${stage.path}-moved`;
  renameSync(stage.path, moved);
  const ended = await runNode([builtSaga, "run", STORY, "--foreground"], {
    cwd: moved,
    env: stage.env,
  });
  expect(ended.stdout).toContain("All tasks are completed.");
  expect(readFileSync(join(moved, ".saga/worktrees", STORY, "mine.txt"), "utf8")).toBe(
    "precious\n",
  );
});

it("starts from the remote's default branch, whatever its name", async () => {
  const stage = await newStage();
  stage.git("branch", "--move", "main", "trunk");
  const remote = join(stage.home, "remote.git");
  stage.git("clone", "--quiet", "--bare", stage.path, remote);
  stage.git("remote", "add", "origin", remote);
  stage.git("switch", "--quiet", "--create", "elsewhere");
  const ended = await expectExit(0, stage.work());
  expect(ended.stdout).toContain("from trunk");
});

it.each([
  ["that git ignores", ".env\ncache\n"],
  ["that git would take", ""],
])("provisions the worktree with files %s, and commits none of them", async (_, ignored) => {
  const stage = await newStage({
    config: [
      "[worktree]",
      'copy = [".env"]',
      'link = ["cache"]',
      'setup = "echo set up > set-up.txt"',
      "first_port = 43000",
      "ports = 5",
    ].join("\n"),
    steps: { form: [{ run: 'cat .env cache/data > seen.txt; echo "$SAGA_PORT" >> seen.txt' }] },
  });
  stage.write(".gitignore", ignored);
  stage.git("add", ".gitignore");
  stage.git("commit", "--quiet", "--allow-empty", "--message=Ignore");
  stage.write(".env", "KEY=secret\n");
  stage.write("cache/data", "cached\n");
  await expectDone(stage);
  expect(readFileSync(join(stage.worktree, "seen.txt"), "utf8")).toBe(
    "KEY=secret\ncached\n43000\n",
  );
  expect(existsSync(join(stage.worktree, "set-up.txt"))).toBe(true);
  const committed = stage.git("ls-tree", "-r", "--name-only", `story/${STORY}`).split("\n");
  expect(committed).not.toContain(".env");
  expect(committed).not.toContain("cache");
});

it("shows the output of a failed set-up command, and starts no agent", async () => {
  const stage = await newStage({ config: '[worktree]\nsetup = "echo no compiler >&2; exit 3"\n' });
  const ended = await expectExit(1, stage.work("--json"));
  expect(JSON.parse(ended.stdout)).toMatchObject({
    reason: expect.stringContaining("no compiler") as string,
  });
  expect(stage.model.turns()).toBe(0);
});

it("removes the worktree of a merged story, and only that", async () => {
  const stage = await newStage();
  await stage.work();
  expect((await stage.run("clean")).stdout).toContain(
    `kept  ${stage.worktree}: its story is not merged (review).\n`,
  );
  expect(existsSync(stage.worktree)).toBe(true);
  stage.git("add", "--all");
  stage.git("commit", "--quiet", "--message=The story");
  stage.git("merge", "--quiet", "--no-edit", "-X", "theirs", `story/${STORY}`);
  const cleaned = await stage.run("clean");
  expect(cleaned.stdout, cleaned.stderr).toContain("removed");
  expect(existsSync(stage.worktree)).toBe(false);
  expect((await stage.store.viewStory(STORY)).state).toBe("completed");
});

it("runs a story without tasks as one task, made from its title and description", async () => {
  const stage = await newStage({ tasks: [], story: { title: "Add a login page" } });
  await expectExit(0, stage.work());
  expect(stage.commits()).toEqual(["implement"]);
  expect(await stage.statuses()).toEqual({ implement: "completed" });
  await expectExit(0, stage.work());
  expect(stage.commits()).toEqual(["implement"]);
  await expectNothingLeft(stage);
});
