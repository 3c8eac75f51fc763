import { chmodSync } from "node:fs";
import { expect, it } from "vitest";
import { startTestDashboard } from "../../../../test/support/dashboard.ts";
import { aStory, newProject } from "../../../../test/support/project.ts";
import { refused } from "../../../../test/support/refused.ts";

const PULL = "https://github.example.org/o/r/pull/7";

it("prints the address of the pull request, and opens it with the program of the desktop", async () => {
  const project = newProject();
  project.write(".saga/stories/a/story.json", aStory("a", { pr: PULL }));
  const printed = await project.saga("open", "a", "--print", "--json");
  expect(printed.json()).toEqual({
    story: "a",
    kind: "pull-request",
    url: PULL,
    isOpened: false,
  });
  const opener = project.write("bin/xdg-open", `#!/bin/sh\necho "$1" > ${project.path}/opened\n`);
  chmodSync(opener, 0o755);
  const env = { PATH: `${project.path}/bin:${process.env["PATH"]}`, HOME: project.path };
  expect((await project.sagaWithEnv(env, "open", "a")).stdout).toBe(`Opened ${PULL}\n`);
  expect(project.read("opened")).toBe(`${PULL}\n`);
});

it("opens the page of a running dashboard with a one-time ticket", async () => {
  const project = newProject();
  project.write(".saga/stories/a/story.json", aStory("a", { pr: "local/1" }));
  const env = { PATH: process.env["PATH"], HOME: project.path };
  await startTestDashboard(project, { env });
  const { stdout } = await project.sagaWithEnv(env, "open", "a", "--print");
  expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/story\/a\?ticket=\S+\n$/);
  const answer = await fetch(stdout.trim(), { redirect: "manual" });
  expect([answer.status, answer.headers.get("location")]).toEqual([303, "/story/a"]);
});

it("refuses a story without an address, and says how to get one", async () => {
  const project = newProject();
  project.write(".saga/stories/a/story.json", aStory("a"));
  expect((await refused(project, "open", "a")).hint).toContain("saga dashboard");
});
