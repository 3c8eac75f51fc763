import { join } from "node:path";
import { expect, it } from "vitest";
import { TOKEN } from "../support/github-server.ts";
import { killAtHook, killVariables } from "../support/programs.ts";
import { onGithub } from "../support/on-github.ts";
import { aTask } from "../support/project.ts";
import { expectNothingLeft, STORY, type Stage } from "../support/stage.ts";
import { expectExit } from "../support/expect-exit.ts";

const work = (stage: Stage, env: Record<string, string>) =>
  stage.runWith({ env }, "run", STORY, "--foreground", "--json");

it("pushes the story's branch and opens one pull request, ready when it is done", async () => {
  const { stage, github, env } = await onGithub();
  const ended = await expectExit(0, work(stage, env));
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

  await expectExit(0, work(stage, env));
  expect(github.pulls).toHaveLength(1);
  await expectNothingLeft(stage);
});

it("continues when GitHub cannot be reached, and opens the pull request later", async () => {
  const { stage, github, env } = await onGithub();
  github.trouble.refusesLogin = true;
  await expectExit(0, work(stage, env));
  expect(stage.commits()).toEqual(["form", "page"]);
  expect(github.pulls).toEqual([]);
  const warnings = (await stage.events("warning")).map((event) => String(event["message"]));
  expect(warnings.join("\n")).toContain("The pull request could not be created");
  expect(warnings.join("\n")).not.toContain(TOKEN);

  github.trouble.refusesLogin = false;
  expect((await work(stage, env)).exitCode).toBe(0);
  expect(github.pulls).toMatchObject([{ draft: false }]);
});

it("continues when the remote does not exist", async () => {
  const { stage, env } = await onGithub();
  const ended = await work(stage, { ...env, GIT_SSH_COMMAND: "false" });
  // Done, and not pushed.
  expect(ended.exitCode, ended.stderr).toBe(5);
  expect(stage.commits()).toEqual(["form", "page"]);
});

it("opens one pull request and pushes everything, wherever the worker was killed", async () => {
  for (const killAt of [20, 34, 40, 44, 48, 52, 90]) {
    const { stage, github, env } = await onGithub();
    const node = ["--require", killAtHook];
    const kill = { ...env, ...killVariables(killAt) };
    await stage.runWith({ node, env: kill }, "worker", STORY);
    await expectExit(0, stage.runWith({ env }, "worker", STORY));
    expect(github.pulls, `killed at ${killAt}`).toMatchObject([{ draft: false }]);
    expect(stage.commits()).toEqual(["form", "page"]);
    const pushed = stage.git("-C", join(stage.home, "shop.git"), "rev-parse", `story/${STORY}`);
    expect(pushed).toBe(stage.git("rev-parse", `story/${STORY}`));
    await expectNothingLeft(stage);
  }
}, 240_000);

it("does not push a key until a person has overridden that finding", async () => {
  // In two pieces, so that this file does not look like the place of a key.
  const key = ["AKIA", "QWERTYUIOPASDFGH"].join("");
  const { stage, env } = await onGithub({
    tasks: [aTask("form")],
    steps: { form: [{ write: "form.txt", content: `key = "${key}"\n` }] },
  });
  const there = (): string =>
    stage.git("-C", join(stage.home, "shop.git"), "log", "--all", "--format=", "--patch");
  expect((await work(stage, env)).exitCode).toBe(1);
  expect(there()).not.toContain(key);
  expect((await work(stage, env)).exitCode).toBe(1);
  expect(there()).not.toContain(key);
  const warnings = (await stage.events("warning")).map((event) => String(event["message"]));
  expect(warnings.join("\n")).toContain("looks like a secret");
  // The draft exists from the start, and says what can be done.
  expect(warnings.join("\n")).toContain("The pull request could not be updated");
  expect(warnings.join("\n")).not.toContain("The pull request could not be created");
  expect(warnings.join("\n")).toContain(`saga accept ${STORY} --override secret`);

  const word = ["accept", STORY, "--override", "secret", "--why", "It opens nothing."];
  await expectExit(0, stage.runWith({ env }, ...word));
  expect((await work(stage, env)).exitCode).toBe(0);
  expect(there()).toContain(key);
});
