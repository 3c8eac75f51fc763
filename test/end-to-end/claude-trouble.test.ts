// The model's service, and Claude Code itself, when they do not do what they are there for.

import { chmodSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findClaude } from "../../src/claude/find.ts";
import { expectNothingLeft, follows, newStage, STORY } from "../support/stage.ts";
import { expectExit } from "../support/expect-exit.ts";

describe("an API that", () => {
  it.each([500, 502, 504])("fails with %i for a moment is waited for", async (status) => {
    let refusals = 0;
    const obey = follows();
    const stage = await newStage({
      config: "[limits]\npause = 0.2\n",
      script: (turn) =>
        refusals++ === 0 ? { kind: "refuse", status, message: "Oh." } : obey(turn),
    });
    await expectExit(0, stage.work());
    expect(await stage.events("limit.reached")).toHaveLength(1);
  });

  it("quotes a secret has it redacted", async () => {
    const secret = `ghp_${"a1B2".repeat(9)}`;
    const stage = await newStage({
      script: () => ({ kind: "refuse", status: 400, message: `It is not ${secret}, is it?` }),
    });
    const ended = await expectExit(1, stage.work("--json"));
    expect(JSON.parse(ended.stdout)).toMatchObject({
      reason: expect.stringContaining("It is not …, is it?") as string,
    });
    const [run] = await stage.store.listRuns(STORY);
    expect(run?.reason).not.toContain(secret);
  });

  it("claims that its usage limit has ended already is not retried forever", async () => {
    let turns = 0;
    const obey = follows();
    const stage = await newStage({
      config: "[limits]\npause = 1\n",
      script: (turn) => {
        if (++turns > 2) return obey(turn);
        const headers = {
          "anthropic-ratelimit-unified-status": "rejected",
          "anthropic-ratelimit-unified-reset": String(Math.floor(Date.now() / 1000) - 60),
          "anthropic-ratelimit-unified-representative-claim": "five_hour",
        };
        return { kind: "refuse", status: 429, message: "Too many", headers };
      },
    });
    const from = Date.now();
    const login = { CLAUDE_CODE_OAUTH_TOKEN: "a-rehearsal-needs-no-login", ANTHROPIC_API_KEY: "" };
    const ended = await expectExit(
      0,
      stage.runWith({ env: login }, "run", STORY, "--foreground", "--json"),
    );
    // One second, then two.
    expect(Date.now() - from).toBeGreaterThan(3_000);
    expect(await stage.events("limit.reached")).toHaveLength(2);
    expect(JSON.parse(ended.stdout)).toMatchObject({ cycles: 1 });
  });

  it("has a limit for some models is waited for under every name of those models", async () => {
    let turns = 0;
    const obey = follows();
    const stage = await newStage({
      config: '[claude]\nmodel = "default"\n[limits]\npause = 1\n',
      script: (turn) => {
        if (++turns > 2) return obey(turn);
        const headers = {
          "anthropic-ratelimit-unified-status": "rejected",
          "anthropic-ratelimit-unified-reset": String(Math.floor(Date.now() / 1000) - 60),
          "anthropic-ratelimit-unified-representative-claim": "seven_day_opus",
        };
        return { kind: "refuse", status: 429, message: "Too many", headers };
      },
    });
    const login = { CLAUDE_CODE_OAUTH_TOKEN: "a-rehearsal-needs-no-login", ANTHROPIC_API_KEY: "" };
    const words = ["run", STORY, "--foreground", "--json"];
    await expectExit(0, stage.sagaWithEnv({ ...stage.env, ...login }, ...words));
    expect(await stage.events("limit.reached")).toHaveLength(2);
  });

  it("has lost the conversation gets a new one", async () => {
    let turns = 0;
    const obey = follows();
    const stage = await newStage({
      config: "[limits]\npause = 0.2\n",
      script: (turn) => {
        if (++turns !== 4) return obey(turn);
        rmSync(join(stage.home, "claude", "projects"), { recursive: true, force: true });
        return { kind: "refuse", status: 529, message: "Overloaded" };
      },
    });
    await expectExit(0, stage.work());
    expect(stage.commits()).toEqual(["form", "page"]);
  });

  it("is overloaded is waited for, and the same conversation continues", async () => {
    let refusals = 0;
    const obey = follows();
    const stage = await newStage({
      config: "[limits]\npause = 0.2\n",
      script: (turn) => {
        const isMiddle = JSON.stringify(turn.messages).includes("in_progress");
        if (isMiddle && refusals++ === 0)
          return { kind: "refuse", status: 529, message: "Overloaded" };
        return obey(turn);
      },
    });
    await expectExit(0, stage.work("--json"));
    expect(await stage.events("limit.reached")).toHaveLength(1);
    const conversations = (await stage.events("agent.started")).map(
      (event) => event["conversation"],
    );
    expect(conversations).toHaveLength(2);
    expect(new Set(conversations).size).toBe(1);
    expect(stage.commits()).toEqual(["form", "page"]);
  });

  it("refuses longer than the time limit ends the run, and keeps others from trying", async () => {
    const stage = await newStage({
      config: "[limits]\npause = 36000\n",
      script: () => ({ kind: "refuse", status: 429, message: "Too many" }),
    });
    const ended = await expectExit(2, stage.work("--json", "--max-time", "5"));
    expect(JSON.parse(ended.stdout)).toMatchObject({ outcome: "limit" });
    const turns = stage.model.turns();
    const other = await expectExit(2, stage.work("--json"));
    expect(JSON.parse(other.stdout)).toMatchObject({
      cycles: 0,
      reason: expect.stringContaining("The limit ends at") as string,
    });
    expect(stage.model.turns()).toBe(turns);
    await expectNothingLeft(stage);
  });

  it.each([
    [401, "is not logged in"],
    [404, "The API does not know the model"],
    [400, "gave up"],
  ])("answers %i ends the story with one sentence and no loop", async (status, sentence) => {
    const stage = await newStage({ script: () => ({ kind: "refuse", status, message: "No." }) });
    const ended = await expectExit(1, stage.work("--json"));
    expect(JSON.parse(ended.stdout)).toMatchObject({
      outcome: "failed",
      cycles: 1,
      reason: expect.stringContaining(sentence) as string,
    });
    await expectNothingLeft(stage);
  });
});

describe("a Claude Code that", () => {
  it("does not offer the Task tools is refused with that reason, before a turn is paid for", async () => {
    const stage = await newStage();
    const real = findClaude(undefined, stage.env, stage.path)?.path ?? "";
    const lines = [
      "#!/bin/sh",
      'for word; do shift; case "$word" in --tools=*) word=--tools=Bash ;; esac; set -- "$@" "$word"; done',
      `exec '${real}' "$@"`,
    ];
    const wrapper = stage.write("../claude-without-tools", `${lines.join("\n")}\n`);
    chmodSync(wrapper, 0o755);
    stage.write(".saga/config.toml", `[claude]\npath = "${wrapper}"\n`);
    const ended = await expectExit(1, stage.work("--json"));
    expect(JSON.parse(ended.stdout)).toMatchObject({
      cycles: 1,
      reason: expect.stringContaining("does not offer TaskList") as string,
    });
    expect(await stage.statuses()).toEqual({ form: "pending", page: "pending" });
    await expectNothingLeft(stage);
  });

  it("is not logged in is reported as such", async () => {
    const stage = await newStage();
    const ended = await expectExit(
      1,
      stage.runWith({ env: { ANTHROPIC_API_KEY: "" } }, "run", STORY, "--foreground", "--json"),
    );
    expect(JSON.parse(ended.stdout)).toMatchObject({
      cycles: 1,
      reason: expect.stringContaining("not logged in") as string,
    });
    expect(stage.model.turns()).toBe(0);
  });

  it("is missing is reported before anything starts", async () => {
    const stage = await newStage({ config: '[claude]\npath = "nowhere/claude"\n' });
    const ended = await expectExit(1, stage.work());
    expect(ended.stderr).toContain("Claude Code is not installed.");
    expect(existsSync(stage.worktree)).toBe(false);
  });
});
