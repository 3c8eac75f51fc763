import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { aStory, newProject, type Project } from "../../../../test/support/project.ts";
import { thisProcess } from "../../../machine/processes/process-id.ts";
import { openStore } from "../../../store/file-store.ts";
import { closeRuns } from "../../../store/runs/run-processes.ts";

const at = "2026-11-15T21:48:00.000Z";

async function withRun(text: string): Promise<Project> {
  const project = newProject();
  project.write(".saga/stories/s/story.json", aStory("s"));
  const log = await openStore(project.path).startRun("s", { endedAt: at, outcome: "failed" });
  log.append({ at, type: "agent.said", text });
  log.close();
  return project;
}

it("shows the last run, even if the story's files are invalid or gone", async () => {
  const project = await withRun("I have written nonsense.");
  for (const content of [aStory("s"), "{ nonsense", undefined]) {
    if (content === undefined) rmSync(join(project.path, ".saga/stories/s"), { recursive: true });
    else project.write(".saga/stories/s/story.json", content);
    const { exitCode, stdout } = await project.saga("logs", "s");
    expect(exitCode).toBe(0);
    expect(stdout).toContain("I have written nonsense.");
  }
});

it("without a run, says what is wrong with the story", async () => {
  const project = newProject();
  expect((await project.saga("logs", "s")).stderr).toContain("There is no story s");
  project.write(".saga/stories/s/story.json", aStory("s"));
  expect((await project.saga("logs", "s")).stderr).toContain("The story s has no runs yet.");
  project.write(".saga/stories/s/story.json", "{ nonsense");
  expect((await project.saga("logs", "s")).stderr).toContain("story.json");
});

it("-f ends when the story's only run is a person's decision", async () => {
  const project = newProject();
  project.write(".saga/stories/s/story.json", aStory("s"));
  const home = join(project.path, "..", "home");
  mkdirSync(home, { mode: 0o700 });
  const env = { PATH: process.env["PATH"], HOME: home, TMUX_TMPDIR: home };
  const log = await openStore(project.path).startRun("s", { endedAt: at, outcome: "done" });
  log.append({ at, type: "gate" });
  log.close();
  const never = new AbortController().signal;
  const followed = await project.sagaUntil({ stop: never, env }, "logs", "s", "-f", "--json");
  expect(followed.stdout).toBe(`${JSON.stringify({ at, type: "gate" })}\n`);
});

it("ends with the time at which the worker was killed, before and after the next worker takes over", async () => {
  const project = newProject();
  project.write(".saga/stories/s/story.json", aStory("s"));
  const store = openStore(project.path);
  const worker = { ...thisProcess(), startTime: "long ago" };
  const log = await store.startRun("s", { worker });
  log.append({ at, type: "agent.said", text: "I begin." });
  log.close();
  const end = { at, type: "run.killed" };
  const logs = async () => {
    const { events } = (await project.saga("logs", "s", "--json")).json() as { events: object[] };
    const followed = await project.saga("logs", "s", "-f", "--run", log.run.id, "--json");
    expect(
      followed.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as object),
    ).toEqual(events);
    return events;
  };
  expect((await logs()).slice(1)).toEqual([end]);
  expect((await project.saga("logs", "s")).stdout).toMatch(
    /I begin\.\n.*killed +The worker was killed; this is the end of its log/,
  );
  await closeRuns(store, [log.run], Date.parse(at) + 60_000);
  expect((await logs()).slice(1)).toEqual([end]);
});

it("for an unknown run, the hint is the command that lists runs", async () => {
  const project = newProject();
  project.write(".saga/stories/s/story.json", aStory("s"));
  const { stderr } = await project.saga("logs", "s", "--run", "nosuch");
  expect(stderr).toContain("The story s has no run nosuch.\n`saga show s` lists its newest runs");
});

it("-n shows only the last lines or events", async () => {
  const project = await withRun("One.\nTwo.\nThree.");
  const { stdout } = await project.saga("logs", "s", "-n", "2");
  expect(stdout.split("\n").map((line) => line.trim())).toEqual(["Two.", "Three.", ""]);
  expect((await project.saga("logs", "s", "--tail", "99")).stdout).toContain("One.");
  const { events } = (await project.saga("logs", "s", "-n", "1", "--json")).json();
  expect(events).toHaveLength(1);
});
