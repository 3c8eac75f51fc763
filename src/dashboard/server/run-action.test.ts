import { describe, expect, it } from "vitest";
import {
  connect,
  isSnapshot,
  quietEnv,
  startTestDashboard,
} from "../../../test/support/dashboard.ts";
import { builtSaga } from "../../../test/support/programs.ts";
import { anEpic, aStory, aTask, newProject, type Project } from "../../../test/support/project.ts";
import { newActionRunner } from "./run-action.ts";
import type { ActionResult } from "../protocol/actions.ts";

describe("an invalid action starts nothing", () => {
  // Starting this program would change the message.
  const run = newActionRunner({
    program: ["/no/such/program"],
    env: {},
    project: "/",
    stop: new AbortController().signal,
    isOwnSession: async () => false,
  });
  it.each<unknown>([
    undefined,
    null,
    "run",
    {},
    { act: "worker", story: "a" },
    { act: "run" },
    { act: "run", story: "" },
    { act: "run", story: "../../etc" },
    { act: "run", story: "--foreground" },
    { act: "run", story: "a", more: "--max-cost=1" },
    { act: "run", story: ["a", "--foreground"] },
    { act: "discard", story: "a;rm -rf /" },
    { act: "discard", story: "a\n" },
    { act: "accept", story: "a", override: ["secret --merge"] },
    { act: "accept", story: "a", override: "secret" },
    { act: "reject", story: "a", why: "   " },
    { act: "resolve", story: "a", blocker: "--help", answer: "x" },
    { act: "epic-run", epic: "e", parallel: 0 },
    { act: "epic-run", epic: "e", parallel: "2 --merge" },
    { act: "session-stop", session: "my-own-session" },
    { act: "session-stop", session: "saga-story-../x-1700000000000" },
    { act: "task-release", task: "../1" },
    { act: "task-release", task: "--force" },
    { act: "task-add", subject: "" },
    { act: "pool-stop", instance: "../../x" },
    { act: "run", story: "a", model: "opus --foreground" },
    { act: "run", story: "a", maxMinutes: "5" },
    { act: "resume", story: "a", maxCostUsd: -1 },
    { act: "restore", story: "a", number: "1; ls" },
    { act: "note", story: "a", text: " " },
    { act: "pool-list", list: "../elsewhere" },
    { act: "pool-start", workers: 0 },
  ])("%j", async (body) => {
    const result = await run(body);
    expect(result.isOk).toBe(false);
    expect(result).not.toMatchObject({ message: "Could not start saga." });
  });
});

it("stops only sessions of this project: another project may have a story of the same name", async () => {
  const run = newActionRunner({
    program: ["/no/such/program"],
    env: {},
    project: "/",
    stop: new AbortController().signal,
    isOwnSession: async (name) => name === "saga-story-here-1700000000000",
  });
  const stop = (session: string) => run({ act: "session-stop", session });
  expect(await stop("saga-story-there-1700000000000")).toEqual({
    isOk: false,
    message: "The session no longer exists in this project.",
  });
  expect(await stop("saga-story-here-1700000000000")).toMatchObject({
    message: "Could not start saga.",
  });
});

it("shows what a command says besides its success", async () => {
  const warnings = [{ message: "The title is long.", fix: "Shorten it." }];
  const json = { warnings, notes: ["The story asks for less than at its start."] };
  const run = newActionRunner({
    program: [process.execPath, "-e", `console.log(${JSON.stringify(JSON.stringify(json))})`, "--"],
    env: { PATH: process.env["PATH"] },
    project: "/",
    stop: new AbortController().signal,
    isOwnSession: async () => false,
  });
  const set = [{ field: "checks", value: [] }];
  expect(await run({ act: "edit", kind: "story", id: "a", set })).toMatchObject({
    isOk: true,
    text: "Changed a.\nThe title is long. Shorten it.\nThe story asks for less than at its start.",
  });
});

describe("a merge whose target is checked out", () => {
  const runnerPrinting = (json: Record<string, unknown>) =>
    newActionRunner({
      program: [
        process.execPath,
        "-e",
        `console.log(${JSON.stringify(JSON.stringify(json))}); process.exitCode = 3`,
        "--",
      ],
      env: { PATH: process.env["PATH"] },
      project: "/",
      stop: new AbortController().signal,
      isOwnSession: async () => false,
    });
  const refusal = {
    kind: "checked-out",
    message: "It waits.",
    hint: "Do this.",
    question: "Update?",
  };

  it("becomes a question if only the permission to update it is missing", async () => {
    const run = runnerPrinting({ ...refusal, isUpdatable: true });
    expect(await run({ act: "merge", story: "add-login" })).toEqual({
      isOk: false,
      message: "It waits.",
      hint: "Do this.",
      question: "Update?",
    });
  });

  it("fails with a hint if the checkout has changes", async () => {
    const run = runnerPrinting({ ...refusal, isUpdatable: false });
    const result = await run({ act: "merge", story: "add-login", updateCheckout: true });
    expect(result).toEqual({ isOk: false, message: "It waits.", hint: "Do this." });
  });
});

it("is killed when the dashboard stops", async () => {
  const stop = new AbortController();
  const run = newActionRunner({
    program: [
      process.execPath,
      "-e",
      "process.stdin.on('end', () => {}); setInterval(() => {}, 1000)",
    ],
    env: { PATH: process.env["PATH"] },
    project: "/",
    stop: stop.signal,
    isOwnSession: async () => false,
  });
  const result = run({ act: "merge", story: "add-login" });
  stop.abort();
  expect(await result).toEqual({
    isOk: false,
    message: "The command was killed before it finished.",
  });
});

describe("an action on a real project", () => {
  const runner = (project: Project) =>
    newActionRunner({
      program: [process.execPath, builtSaga],
      env: quietEnv(project),
      project: project.path,
      stop: new AbortController().signal,
      isOwnSession: async () => false,
    });
  function withQuestion(): Project {
    const project = newProject();
    project.write(".saga/stories/add-login/story.json", aStory("add-login"));
    project.write(".saga/stories/add-login/form.json", aTask("form"));
    project.write(
      ".saga/stories/add-login/journal.md",
      "# Journal: x\n\n## 2026-11-15T21:48:00.000Z Blocker b1: Which database?\n",
    );
    return project;
  }

  it("answers a question in the person's own words", async () => {
    const project = withQuestion();
    const answer = '--help "$(touch pwned)"\nand a second line';
    const result = await runner(project)({
      act: "resolve",
      story: "add-login",
      blocker: "b1",
      answer,
    });
    expect(result).toMatchObject({ isOk: true, json: { story: "add-login", open: [] } });
    expect(project.read(".saga/stories/add-login/journal.md")).toContain('--help "$(touch pwned)"');
  });

  it("returns the error of the command", async () => {
    const result = await runner(withQuestion())({ act: "run", story: "no-such" });
    expect(result).toEqual({
      isOk: false,
      message: "There is no story no-such.",
      hint: "`saga list` shows all stories and epics.",
    });
  });

  it("removes an epic only if the person knows about its stories, and keeps them", async () => {
    const project = withQuestion();
    project.write(".saga/epics/auth/epic.json", anEpic("auth", [{ id: "add-login" }]));
    const run = runner(project);
    expect(await run({ act: "remove-epic", epic: "auth" })).toMatchObject({
      isOk: false,
      message: "The epic auth has 1 story: add-login.",
    });
    const removed = await run({ act: "remove-epic", epic: "auth", keepStories: true });
    expect(removed).toMatchObject({
      isOk: true,
      text: "Removed the epic auth. Its file is kept in .saga/removed.",
    });
    expect(project.read(".saga/stories/add-login/story.json")).toContain("add-login");
    expect(await run({ act: "remove-epic", epic: "auth" })).toMatchObject({ isOk: false });
  });

  it("succeeds if there is nothing to stop", async () => {
    const result: ActionResult = await runner(withQuestion())({ act: "stop", story: "add-login" });
    expect(result).toMatchObject({ isOk: true });
  });

  it("runs for a page with its token, which then sees the change", async () => {
    const project = withQuestion();
    const { port, own, ask } = await startTestDashboard(project);
    const client = await connect(port, own);
    const { token } = await client.first(isSnapshot);
    const { status, text } = await ask("/api/act", {
      method: "POST",
      headers: { ...own, "x-saga-token": token },
      body: { act: "resolve", story: "add-login", blocker: "b1", answer: "PostgreSQL." },
    });
    expect([status, JSON.parse(text)]).toMatchObject([200, { isOk: true }]);
    await client.until(() => JSON.stringify(client.messages.at(-1)).includes('"openQuestions":0'));
    client.close();
  });
});
