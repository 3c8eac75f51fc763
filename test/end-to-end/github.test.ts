import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startGithubServer, TOKEN, type GithubServer } from "../support/github-server.ts";
import { expectNothingLeft, newStage, STORY, type Stage } from "../support/stage.ts";

/** A repository "on GitHub": `ssh` is a script that serves a bare one beside it, `gh` talks to a socket. */
async function onGithub(): Promise<{
  stage: Stage;
  github: GithubServer;
  env: Record<string, string>;
}> {
  const stage = await newStage();
  const github = await startGithubServer();
  const bare = join(stage.home, "shop.git");
  stage.git("clone", "--quiet", "--bare", stage.path, bare);
  const ssh = join(stage.home, "ssh");
  // Called as: ssh [options] host "git-receive-pack '/acme/shop.git'".
  writeFileSync(ssh, `#!/bin/sh\nfor last; do :; done\nexec "\${last%% *}" '${bare}'\n`);
  chmodSync(ssh, 0o755);
  stage.git("remote", "add", "origin", "git@github.com:acme/shop.git");
  const gh = Object.fromEntries(
    Object.entries(github.env).filter(
      ([name, value]) => name.startsWith("GH_") && value !== undefined,
    ),
  ) as Record<string, string>;
  return { stage, github, env: { ...gh, GIT_SSH_COMMAND: ssh, GIT_SSH_VARIANT: "simple" } };
}

const work = (stage: Stage, env: Record<string, string>) =>
  stage.runWith({ env }, "run", STORY, "--foreground", "--json");

it("pushes the story's branch and opens one pull request, ready when it is done", async () => {
  const { stage, github, env } = await onGithub();
  const ended = await work(stage, env);
  expect(ended.exitCode, `${ended.stdout}${ended.stderr}`).toBe(0);
  expect(JSON.parse(ended.stdout)).toMatchObject({
    pullRequest: "https://github.com/acme/shop/pull/1",
  });
  expect(github.pulls).toMatchObject([
    {
      title: `Story: ${STORY}`,
      draft: false,
      head: `story/${STORY}`,
      base: "main",
      body: expect.stringContaining("- [x]") as string,
    },
  ]);
  const pushed = stage.git("-C", join(stage.home, "shop.git"), "rev-parse", `story/${STORY}`);
  expect(pushed).toBe(stage.git("rev-parse", `story/${STORY}`));
  expect((await stage.store.readStory(STORY)).story.pr).toBe("https://github.com/acme/shop/pull/1");

  const again = await work(stage, env);
  expect(again.exitCode, again.stderr).toBe(0);
  expect(github.pulls).toHaveLength(1);
  await expectNothingLeft(stage);
});

it("works on when GitHub cannot be reached, and opens the pull request when it can", async () => {
  const { stage, github, env } = await onGithub();
  github.trouble.refusesLogin = true;
  const ended = await work(stage, env);
  expect(ended.exitCode, ended.stderr).toBe(0);
  expect(stage.commits()).toEqual(["form", "page"]);
  expect(github.pulls).toEqual([]);
  const warnings = (await stage.events("warning")).map((event) => String(event["message"]));
  expect(warnings.join("\n")).toContain("There is no pull request yet");
  expect(warnings.join("\n")).not.toContain(TOKEN);

  github.trouble.refusesLogin = false;
  expect((await work(stage, env)).exitCode).toBe(0);
  expect(github.pulls).toMatchObject([{ draft: false }]);
});

it("works on when the remote itself is gone", async () => {
  const { stage, env } = await onGithub();
  const ended = await work(stage, { ...env, GIT_SSH_COMMAND: "false" });
  expect(ended.exitCode, ended.stderr).toBe(0);
  expect(stage.commits()).toEqual(["form", "page"]);
});
