// A finished story that is not good enough yet: what commands say about it, and its pull request, which is
// not for review meanwhile.

import { describe, expect, it } from "vitest";
import { finishedByClaude, finishedStage, ONE_TASK, saga } from "../support/finished-stage.ts";
import { onGithub } from "../support/on-github.ts";
import type { CommandOutput } from "../support/project.ts";
import { newStage, STORY, type Stage, type StageOptions } from "../support/stage.ts";
import { expectExit } from "../support/expect-exit.ts";

const WHY = ["--why", "It comes later."];

const isDraft = async (stage: Stage): Promise<unknown> => {
  const { pullRequest } = (await saga(stage, "show", STORY, "--json")).json();
  return (pullRequest as { isDraft?: boolean } | undefined)?.isDraft;
};

const gateOf = async (stage: Stage): Promise<string | undefined> =>
  /^ {2}Gate +(?<gate>.*)$/m.exec((await saga(stage, "show", STORY)).stdout)?.groups?.["gate"];

describe("the pull request of a finished story", () => {
  it("is a draft again when the story is sent back, and ready when it is finished again", async () => {
    const stage = await finishedByClaude();
    expect(await isDraft(stage)).toBe(false);
    expect((await saga(stage, "reject", STORY, "Not like this.")).exitCode).toBe(0);
    expect(await isDraft(stage)).toBe(true);
    expect((await stage.work()).exitCode).toBe(0);
    expect(await isDraft(stage)).toBe(false);
  });

  it("is a draft again when newer work does not pass the gate", async () => {
    const stage = await finishedStage({
      config: "[gate]\nfix_rounds = 0\n",
      story: { checks: ["test ! -e wrong.txt"] },
    });
    stage.write(`.saga/worktrees/${STORY}/wrong.txt`, "wrong\n");
    stage.git("-C", stage.worktree, "add", "wrong.txt");
    stage.git("-C", stage.worktree, "commit", "--quiet", "--message=More");
    expect((await stage.work()).exitCode).toBe(1);
    expect(await isDraft(stage)).toBe(true);
  });

  it("is a draft while its agent has a conflict to resolve", async () => {
    const stage = await finishedStage({
      steps: { form: [{ write: "README.md", content: "# Ours\n" }] },
    });
    stage.git("switch", "--quiet", "main");
    stage.write("README.md", "# Theirs\n");
    stage.git("commit", "--quiet", "--all", "--message=Theirs");
    stage.git("switch", "--quiet", "-C", "elsewhere");
    expect((await saga(stage, "merge", STORY, "--json")).json()).toMatchObject({
      kind: "conflict",
    });
    expect(await isDraft(stage)).toBe(true);
  });

  it("is a draft again on GitHub; an unreachable GitHub is only a warning", async () => {
    const { stage, github, env } = await onGithub({ tasks: ONE_TASK });
    const runSaga = (...words: string[]): Promise<CommandOutput> =>
      stage.sagaWithEnv({ ...stage.env, ...env }, ...words);
    expect((await runSaga("run", STORY, "--foreground")).exitCode).toBe(0);
    expect(github.pulls).toMatchObject([{ draft: false }]);
    github.trouble.refusesLogin = true;
    const rejected = await expectExit(0, runSaga("reject", STORY, "Not like this."));
    expect(rejected.stderr).toContain("Its pull request is still marked as ready");
    github.trouble.refusesLogin = false;
    // The next run does it before its agent starts; here that is all it does.
    github.trouble.before = ({ body }) => {
      if (JSON.stringify(body)?.includes("convertPullRequestToDraft")) changes.push("draft");
      if (JSON.stringify(body)?.includes("markPullRequestReadyForReview")) changes.push("ready");
    };
    const changes: string[] = [];
    expect((await runSaga("run", STORY, "--foreground")).exitCode).toBe(0);
    expect(changes).toEqual(["draft", "ready"]);
    github.trouble.before = () => undefined;
    expect((await runSaga("reject", STORY, "Still not.")).exitCode).toBe(0);
    expect(github.pulls).toMatchObject([{ draft: true }]);
  });
});

describe("a story that its gate refuses", () => {
  const failing: StageOptions = {
    tasks: ONE_TASK,
    config: "[gate]\nfix_rounds = 0\n",
    story: { checks: ["test -e never.txt"] },
  };

  it("is refused with its findings and the command that overrides them, and that command works", async () => {
    const stage = await newStage(failing);
    expect((await stage.work()).exitCode).toBe(1);
    stage.git("switch", "--quiet", "--create", "elsewhere");
    const refusalOf = (act: string): string =>
      [
        `saga: Cannot ${act} ${STORY}: its gate refused it:`,
        "  check: The check `test -e never.txt` failed (exit 1).",
      ].join("\n");
    const merged = await saga(stage, "merge", STORY);
    expect(merged.stderr).toContain(refusalOf("merge"));
    expect(merged.stderr).toContain(`\`saga accept ${STORY} --override check --why "…"\``);
    expect((await saga(stage, "accept", STORY)).stderr).toContain(refusalOf("accept"));

    expect(await gateOf(stage)).toBe("NOT passed: The check `test -e never.txt` failed (exit 1).");
    await expectExit(0, saga(stage, "accept", STORY, "--override", "check", ...WHY));
    const overridden = /^passed \(3 results for tree \w+\); \w+ overrode check: It comes later\.$/;
    expect(await gateOf(stage)).toMatch(overridden);
    expect((await saga(stage, "merge", STORY)).exitCode).toBe(0);
    expect(await gateOf(stage)).toMatch(overridden);
  });

  it("is explained by `saga verify`, with the output of the failed check", async () => {
    const stage = await newStage({ ...failing, story: { checks: ["echo one; echo two; exit 3"] } });
    expect((await stage.work()).exitCode).toBe(1);
    expect((await saga(stage, "verify", STORY)).stdout).toContain("\none\ntwo\n");
  });

  it("is reported by `saga verify` if its check forges a receipt", async () => {
    const stage = await newStage({ tasks: ONE_TASK, story: { checks: ['sh "$HOME/check"'] } });
    stage.write("../home/check", "true\n");
    expect((await stage.work()).exitCode).toBe(0);
    // What the check does from now on: it adds a line to the record of the run that there was.
    const [run] = await stage.store.listRuns(STORY);
    const record = `${stage.path}/.saga/runs/${STORY}/${run?.id}/events.jsonl`;
    const forged = { at: run?.startedAt, type: "gate", gate: "person", isPassed: true };
    stage.write("../home/check", `echo '${JSON.stringify(forged)}' >> '${record}'\n`);
    const verified = await saga(stage, "verify", STORY);
    expect(verified.stderr).toContain("1 check result in the run");
    expect(verified.stderr).toContain("was not written by Saga on this machine");
  });
});

describe("a story that is not finished", () => {
  it("cannot be sent back: the error names the alternatives, and nothing is changed", async () => {
    const stage = await newStage({ steps: { page: [{ ask: "Which colour?" }] } });
    expect((await stage.work()).exitCode).toBe(3);
    const before = await stage.store.listRuns(STORY);
    const rejected = await expectExit(1, saga(stage, "reject", STORY, "Not like this."));
    expect(rejected.stderr).toContain(`Cannot send ${STORY} back: it is not finished`);
    for (const command of ["journal", "resolve", "stop"]) {
      expect(rejected.stderr).toContain(`saga ${command} ${STORY}`);
    }
    expect(await stage.store.listRuns(STORY)).toEqual(before);
    expect(await stage.statuses()).toEqual({ form: "completed", page: "pending" });
  });
});
