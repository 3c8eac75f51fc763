import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  newGithubForge,
  REPOSITORY,
  startGithubServer,
  TOKEN,
} from "../../../test/support/github-server.ts";
import type { SagaError } from "../../errors.ts";
import { openGithubForge } from "./forge-github.ts";
import type { NewPullRequest } from "./forge.ts";

const wanted = (title = "Story: topic"): NewPullRequest => ({
  head: "topic",
  base: "main",
  title,
  body: title,
});

describe("gh", () => {
  it("gets texts on its input only, and only the environment that it needs", async () => {
    const github = await startGithubServer();
    const path = String(github.env["PATH"]);
    const bin = join(github.folder, "bin");
    const log = join(github.folder, "log");
    mkdirSync(bin);
    writeFileSync(
      join(bin, "gh"),
      `#!/bin/sh\n{ echo "$@"; env; } >>'${log}'\nPATH='${path}' exec gh "$@"\n`,
    );
    chmodSync(join(bin, "gh"), 0o755);
    const env = { ...github.env, PATH: `${bin}:${path}`, SECRET: "mine", GH_TOKEN: TOKEN };
    const forge = openGithubForge({ repository: REPOSITORY, folder: github.folder, env });
    await forge.openDraft(wanted("Quiet"));
    await forge.update(1, { title: "Quiet too", body: "Quiet too" });
    await forge.markReady(1);
    expect(github.pulls).toMatchObject([{ title: "Quiet too", draft: false }]);
    const given = readFileSync(log, "utf8");
    expect(given).toContain("--method PATCH");
    expect(given).toContain("GH_PROMPT_DISABLED=1");
    expect(given).toContain("GH_NO_UPDATE_NOTIFIER=1");
    expect(given).toContain(`GH_TOKEN=${TOKEN}`);
    expect(given).not.toContain("Quiet");
    expect(given).not.toContain("SECRET");
  });
});

describe("a failure", () => {
  const refused = async (request: Promise<unknown>): Promise<SagaError> => {
    const error = (await request.then(
      () => undefined,
      (error: unknown) => error,
    )) as SagaError;
    expect(error).toMatchObject({ name: "SagaError", code: "program-failed" });
    expect(error.message).toMatch(/^[^\n]+\.$/);
    expect(`${error.message} ${error.hint} ${error.stack}`).not.toContain(TOKEN);
    return error;
  };

  it("of the network is not repeated when its request had succeeded", async () => {
    const { github, forge } = await newGithubForge();
    github.trouble.before = ({ method }) => {
      if (method !== "POST" || github.pulls.length > 0) return;
      Object.assign(github.trouble, { gatewayErrors: 1, losesAnswers: true });
    };
    const error = await refused(forge.openDraft(wanted()));
    expect(error.message).toBe(
      "Opening a pull request for topic in acme/shop failed: GitHub answered HTTP 502.",
    );
    expect(error.hint).toContain("run the command again");
    expect(await forge.openDraft(wanted())).toMatchObject({ number: 1 });
    expect(github.pulls).toHaveLength(1);
  });

  it("that happens several times ends with the next success", async () => {
    const { forge } = await newGithubForge({ gatewayErrors: 2 });
    await refused(forge.find("topic"));
    await refused(forge.openDraft(wanted()));
    expect(await forge.openDraft(wanted())).toMatchObject({ number: 1 });
  });

  it("to answer at all ends in time", async () => {
    const { forge } = await newGithubForge({ hangs: true }, {}, 700);
    const { message } = await refused(forge.find("topic"));
    expect(message).toBe(
      "Finding the pull request of topic in acme/shop failed: no answer within 0.7 s.",
    );
  });

  it("in the middle of an answer is a failure", async () => {
    const { github, forge } = await newGithubForge({ breaksOff: true });
    github.add({});
    const { message, hint } = await refused(forge.view(1));
    expect(message).toMatch(/failed: .*EOF\.$/);
    expect(hint).toContain("Check the network");
  });

  it("to log in has a hint, and no token", async () => {
    const { forge } = await newGithubForge({ refusesLogin: true });
    const { message, hint } = await refused(forge.view(1));
    expect(message).toBe(
      'Reading pull request 1 in acme/shop failed: GitHub says "Bad credentials: …" (HTTP 401).',
    );
    expect(hint).toContain("gh auth login --hostname github.com");
  });

  it("without a login has a hint", async () => {
    const { github, forge } = await newGithubForge();
    rmSync(join(github.folder, "gh", "hosts.yml"));
    const { message, hint } = await refused(forge.find("topic"));
    expect(message).toContain("not logged in to github.com");
    expect(hint).toContain("gh auth login");
    expect(github.requests).toEqual([]);
  });

  it("without gh has a hint", async () => {
    const { github, forge } = await newGithubForge({}, { PATH: "/nowhere" });
    const { message, hint } = await refused(forge.openDraft(wanted()));
    expect(message).toContain("gh is not installed");
    expect(hint).toContain("saga doctor");
    expect(github.requests).toEqual([]);
  });

  it("to reach GitHub has the message of gh", async () => {
    const { github, forge } = await newGithubForge();
    rmSync(join(github.folder, "github.sock"));
    const { message } = await refused(forge.find("topic"));
    expect(message).toMatch(/failed: Get "https:.*no such file or directory\.$/);
  });

  it("of a repository without access is not a missing pull request", async () => {
    const { forge } = await newGithubForge({
      answers: { status: 404, body: { message: "Not Found" } },
    });
    const { message, hint } = await refused(forge.view(1));
    expect(message).toContain('GitHub says "Not Found" (HTTP 404)');
    expect(hint).toContain("gh auth status");
  });

  it.each([
    [
      422,
      { message: "Validation Failed", errors: [{ field: "head", code: "invalid" }] },
      "Validation Failed: head is invalid",
      "Fix the problem",
    ],
    [
      422,
      { message: "Validation Failed", errors: ["No commits between main and topic"] },
      "No commits between main and topic",
      "Fix the problem",
    ],
    [403, { message: "API rate limit exceeded" }, "API rate limit exceeded", "Wait"],
    [
      403,
      { message: "Resource not accessible\nby personal access token" },
      "accessible by personal",
      "gh auth status",
    ],
    [307, { message: "Moved" }, "Moved", "git remote set-url"],
    [500, { message: `Oops github_pat_${"x".repeat(30)}` }, "Oops …", "run the command again"],
    [418, { message: "long\n".repeat(200) }, 'long …" (HTTP 418)', "Fix the problem"],
  ])("with %i has GitHub's message in one line", async (status, body, text, next) => {
    const { github, forge } = await newGithubForge();
    github.trouble.answers = { status, body };
    const { message, hint } = await refused(forge.update(1, { title: "x" }));
    expect(message).toContain(text);
    expect(message.length).toBeLessThan(450);
    expect(hint).toContain(next);
  });

  it("to parse an answer is a failure, not an empty answer", async () => {
    const { forge } = await newGithubForge({ answers: { status: 200, body: { hello: "proxy" } } });
    expect((await refused(forge.view(1))).message).toContain("the answer is not a pull request");
    expect((await refused(forge.find("topic"))).message).toContain("the answer is not a list");
  });

  it("to become ready has GitHub's message", async () => {
    const { github, forge } = await newGithubForge();
    github.add({ draft: true });
    github.trouble.before = ({ path }) => {
      const body = { data: null, errors: [{ message: "Resource not accessible" }] };
      if (path === "/graphql") github.trouble.answers = { status: 200, body };
      else delete github.trouble.answers;
    };
    expect((await refused(forge.markReady(1))).message).toContain("Resource not accessible");
    expect(github.pulls).toMatchObject([{ draft: true }]);
  });
});
