import { describe, expect, it } from "vitest";
import {
  connect,
  isSnapshot,
  quietEnv,
  startTestDashboard,
} from "../../../test/support/dashboard.ts";
import { builtSaga } from "../../../test/support/programs.ts";
import { aStory, aTask, newProject, type Project } from "../../../test/support/project.ts";
import { newActions } from "./run-action.ts";
import { commandOf, doneText } from "./commands.ts";
import type { Act, Acted } from "../protocol/acts.ts";

describe("each act is one command", () => {
  it.each<[act: Act, words: readonly string[], input?: string]>([
    [{ act: "run", story: "a" }, ["run", "a"]],
    [
      { act: "run", story: "a", model: "claude-opus-5", maxMinutes: 90, maxCostUsd: 2.5 },
      ["run", "a", "--model=claude-opus-5", "--max-time=90", "--max-cost=2.5"],
    ],
    [{ act: "resume", story: "a", maxCostUsd: 3 }, ["resume", "a", "--max-cost=3"]],
    [{ act: "archive", story: "a" }, ["archive", "a"]],
    [{ act: "remove", story: "a" }, ["rm", "a", "--yes"]],
    [{ act: "restore", story: "a", number: 3 }, ["snapshot", "restore", "a", "3"]],
    [{ act: "note", story: "a", text: "--open" }, ["journal", "a", "--decision=--open"]],
    [
      { act: "note", story: "a", text: "Cents\n\nNot floats.\n" },
      ["journal", "a", "--decision=Cents", "--body=-"],
      "Not floats.",
    ],
    [{ act: "stop", story: "a" }, ["stop", "a"]],
    [{ act: "resume", story: "a" }, ["resume", "a"]],
    [{ act: "merge", story: "a" }, ["merge", "a", "--ask-first"]],
    [{ act: "merge", story: "a", updateCheckout: true }, ["merge", "a", "--update-checkout"]],
    [{ act: "verify", story: "a" }, ["verify", "a"]],
    [{ act: "discard", story: "a" }, ["discard", "a", "--yes"]],
    [{ act: "accept", story: "a" }, ["accept", "a"]],
    [
      { act: "accept", story: "a", override: ["secret", "check"], why: "-x" },
      ["accept", "a", "--override=secret", "--override=check", "--why=-x"],
    ],
    [{ act: "reject", story: "a", why: "--help" }, ["send-back", "a", "-"], "--help"],
    [{ act: "reject", story: "a", why: "No.", run: true }, ["send-back", "a", "-", "--run"], "No."],
    [
      { act: "resolve", story: "a", blocker: "b2", answer: "Yes.", run: true },
      ["resolve", "a", "-", "--blocker=b2", "--run"],
      "Yes.",
    ],
    [
      { act: "resolve", story: "a", blocker: "b2", answer: "-" },
      ["resolve", "a", "-", "--blocker=b2"],
      "-",
    ],
    [{ act: "epic-run", epic: "e" }, ["epic", "run", "e", "--detach"]],
    [{ act: "epic-run", epic: "e", parallel: 3 }, ["epic", "run", "e", "--detach", "--parallel=3"]],
    [
      { act: "epic-run", epic: "e", merge: true },
      ["epic", "run", "e", "--detach", "--merge", "--ask-first"],
    ],
    [
      { act: "epic-run", epic: "e", merge: true, updateCheckout: true },
      ["epic", "run", "e", "--detach", "--merge", "--update-checkout"],
    ],
    [{ act: "epic-run", epic: "e", merge: false }, ["epic", "run", "e", "--detach"]],
    [
      { act: "epic-run", epic: "e", parallel: 2, model: "opus", maxMinutes: 30 },
      ["epic", "run", "e", "--detach", "--parallel=2", "--model=opus", "--max-time=30"],
    ],
    [{ act: "epic-stop", epic: "e" }, ["epic", "stop", "e"]],
    [{ act: "session-stop", session: "saga-story-a-1700000000000" }, ["stop", "a"]],
    [{ act: "session-stop", session: "saga-epic-e-1700000000000" }, ["epic", "stop", "e"]],
    [{ act: "task-release", task: "12" }, ["task", "release", "12"]],
    [
      { act: "task-add", subject: "--json", priority: 1, label: "ui" },
      ["task", "add", "--priority=1", "--label=ui", "--", "--json"],
    ],
    [{ act: "pool-list", list: "shop" }, ["config", "set", "auto.task_list_id", "shop"]],
    [{ act: "pool-start" }, ["auto", "--detach"]],
    [{ act: "pool-start", workers: 3, once: true }, ["auto", "--detach", "--workers=3", "--once"]],
    [{ act: "pool-stop", instance: "1a2b3c4d" }, ["auto", "stop", "1a2b3c4d"]],
    [{ act: "pool-drain", instance: "1a2b3c4d" }, ["auto", "drain", "1a2b3c4d"]],
  ])("%j", (act, words, input) => {
    expect(commandOf(act)).toEqual({ words, ...(input !== undefined && { input }) });
    expect(doneText(act)).toMatch(/^[A-Za-z].*\.$/);
  });
});

describe("what is no act starts nothing", () => {
  // A program that would be noticed.
  const act = newActions({
    program: ["/no/such/program"],
    env: {},
    project: "/",
    stop: new AbortController().signal,
    isOwnSession: () => false,
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
  ])("%j", async (given) => {
    const acted = await act(given);
    expect(acted.isOk).toBe(false);
    expect(acted).not.toMatchObject({ message: "Could not start saga." });
  });
});

it("stops only a session of this project: another's may be named after a story of the same name", async () => {
  const act = newActions({
    program: ["/no/such/program"],
    env: {},
    project: "/",
    stop: new AbortController().signal,
    isOwnSession: (name) => name === "saga-story-here-1700000000000",
  });
  const stop = (session: string) => act({ act: "session-stop", session });
  expect(await stop("saga-story-there-1700000000000")).toEqual({
    isOk: false,
    message: "The session no longer exists in this project.",
  });
  expect(await stop("saga-story-here-1700000000000")).toMatchObject({
    message: "Could not start saga.",
  });
});

describe("a merge whose target is checked out", () => {
  const answering = (json: Record<string, unknown>) =>
    newActions({
      program: [
        process.execPath,
        "-e",
        `console.log(${JSON.stringify(JSON.stringify(json))}); process.exitCode = 3`,
        "--",
      ],
      env: { PATH: process.env["PATH"] },
      project: "/",
      stop: new AbortController().signal,
      isOwnSession: () => false,
    });
  const found = {
    kind: "checked-out",
    message: "It waits.",
    hint: "Do this.",
    question: "Update?",
  };

  it("is a question when only the permission to update it is missing", async () => {
    const act = answering({ ...found, isUpdatable: true });
    expect(await act({ act: "merge", story: "add-login" })).toEqual({
      isOk: false,
      message: "It waits.",
      hint: "Do this.",
      question: "Update?",
    });
  });

  it("is refused with the advice when the checkout has changes", async () => {
    const act = answering({ ...found, isUpdatable: false });
    const acted = await act({ act: "merge", story: "add-login", updateCheckout: true });
    expect(acted).toEqual({ isOk: false, message: "It waits.", hint: "Do this." });
  });
});

it("ends with the dashboard, when that ends first", async () => {
  const stop = new AbortController();
  const act = newActions({
    program: [
      process.execPath,
      "-e",
      "process.stdin.on('end', () => {}); setInterval(() => {}, 1000)",
    ],
    env: { PATH: process.env["PATH"] },
    project: "/",
    stop: stop.signal,
    isOwnSession: () => false,
  });
  const acted = act({ act: "merge", story: "add-login" });
  stop.abort();
  expect(await acted).toEqual({
    isOk: false,
    message: "The command was killed before it finished.",
  });
});

describe("an act on a real project", () => {
  const acting = (project: Project) =>
    newActions({
      program: [process.execPath, builtSaga],
      env: quietEnv(project),
      project: project.path,
      stop: new AbortController().signal,
      isOwnSession: () => false,
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

  it("answers a question, in the person's own words", async () => {
    const project = withQuestion();
    const answer = '--help "$(touch pwned)"\nand a second line';
    const acted = await acting(project)({
      act: "resolve",
      story: "add-login",
      blocker: "b1",
      answer,
    });
    expect(acted).toMatchObject({ isOk: true, json: { story: "add-login", open: [] } });
    expect(project.read(".saga/stories/add-login/journal.md")).toContain('--help "$(touch pwned)"');
  });

  it("gives the command's own words when it is refused", async () => {
    const acted = await acting(withQuestion())({ act: "run", story: "no-such" });
    expect(acted).toEqual({
      isOk: false,
      message: "There is no story no-such.",
      hint: "`saga list` shows what there is.",
    });
  });

  it("says that nothing was running when there is nothing to stop", async () => {
    const acted: Acted = await acting(withQuestion())({ act: "stop", story: "add-login" });
    expect(acted).toMatchObject({ isOk: true });
  });

  it("is done for the page, with its token, and shown to it", async () => {
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
