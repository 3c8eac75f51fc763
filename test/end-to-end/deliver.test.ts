import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Script } from "../../src/rehearsal/model-server.ts";
import { finishedStage, ONE_TASK, saga } from "../support/finished-stage.ts";
import { aTask } from "../support/project.ts";
import {
  expectNothingLeft,
  follows,
  newStage,
  STORY,
  type StageOptions,
} from "../support/stage.ts";
import { expectExit } from "../support/expect-exit.ts";

/** Two hours from now, for one program. */
const AHEAD = "data:text/javascript,const{now}=Date;Date.now=()=>now()+7200000";

/** A scripted agent that records its turns. */
function recorded(turns: string[], steps: StageOptions["steps"] = {}): Script {
  const obey = follows(steps);
  return (turn) => {
    turns.push(JSON.stringify(turn));
    return obey(turn);
  };
}

describe("a story that has passed its gate", () => {
  it("and was merged while the clock was ahead does not start again when the clock is corrected", async () => {
    const stage = await finishedStage();
    await expectExit(0, stage.runWith({ node: ["--import", AHEAD] }, "merge", STORY));
    const [last] = await stage.store.listRuns(STORY);
    expect(Date.parse(last?.startedAt ?? "")).toBeGreaterThan(Date.now());
    expect((await stage.store.viewStory(STORY)).state).toBe("completed");
    expect((await saga(stage, "resume", "--all", "--json")).json()).toEqual({ stories: [] });
    expect((await saga(stage, "run", STORY)).stderr).toContain("is completed and merged");
    const again = await saga(stage, "merge", STORY, "--json");
    expect(again.json()).toMatchObject({ kind: "merged", wasThere: true });
  });

  it("and whose branch was deleted is not merged until the branch is restored, with the command for that", async () => {
    const stage = await finishedStage();
    const tip = stage.git("rev-parse", `story/${STORY}`);
    stage.git("update-ref", "-d", `refs/heads/story/${STORY}`);
    const refused = await expectExit(1, saga(stage, "accept", STORY, "--merge", "--json"));
    const hint = `git update-ref refs/heads/story/${STORY} ${tip}`;
    expect(refused.json()).toMatchObject({
      error: {
        message: `The branch story/${STORY} of ${STORY} was deleted.`,
        hint: `Restore it: \`${hint}\`.`,
      },
    });
    stage.git(...hint.split(" ").slice(1));
    expect((await saga(stage, "accept", STORY, "--merge")).exitCode).toBe(0);
  });

  it("is not merged with an unchecked commit that was added during the merge", async () => {
    // Whatever happens meanwhile, in the first round and not in the next.
    const meanwhile = "../../../../meanwhile.sh";
    const check = `! test -e ${meanwhile} || { mv ${meanwhile} ${meanwhile}.done; sh ${meanwhile}.done; }`;
    // The check runs again although the code is the same.
    const config = "[gate]\nreuse_receipts = false\n";
    const stage = await finishedStage({ story: { checks: [check] }, config });
    expect((await saga(stage, "accept", STORY)).exitCode).toBe(0);
    const main = stage.git("rev-parse", "main");
    const goOn = (ref: string, message: string): string =>
      `git update-ref refs/heads/${ref} ${stage.git("commit-tree", "-p", ref, "-m", message, `${ref}^{tree}`)}\n`;
    stage.write("../meanwhile.sh", `${goOn(`story/${STORY}`, "later")}${goOn("main", "theirs")}`);
    const merged = await saga(stage, "merge", STORY, "--json");
    expect(stage.git("log", "--format=%s", `${main}..main`)).toBe("theirs");
    expect(merged.json()).toMatchObject({ kind: "refused" });
    expect(merged.stdout).toContain("has new commits since the merge started");
  });

  it("has receipts in its run, its journal and its pull request, and they can be verified", async () => {
    const stage = await finishedStage({
      story: { checks: ["test -e rehearsal/form.md"] },
      tasks: [aTask("form", { checks: ["echo checked"] })],
    });
    const gates = await stage.events("gate");
    expect(gates).toMatchObject([
      { gate: "check", task: "form", command: "echo checked", isPassed: true },
      { gate: "diff", isPassed: true },
      { gate: "check", command: "test -e rehearsal/form.md", exitCode: 0, isPassed: true },
    ]);
    const journal = await stage.store.readJournal(STORY);
    expect(journal.entries).toMatchObject([{ kind: "receipt", title: "Gate passed: 3 checks" }]);
    const shown = await saga(stage, "show", STORY, "--json");
    expect(JSON.stringify(shown.json()["pullRequest"])).toContain("test -e rehearsal/form.md");
    const verified = await saga(stage, "verify", STORY, "--json");
    expect(verified.json()).toMatchObject({ isVerified: true, fresh: [{}, {}] });

    stage.git("-C", stage.worktree, "rm", "--quiet", "rehearsal/form.md");
    stage.git("-C", stage.worktree, "commit", "--quiet", "--message=Oops");
    const broken = await expectExit(1, saga(stage, "verify", STORY, "--json"));
    expect(broken.json()).toMatchObject({ isVerified: false, held: [] });
  });

  it("is merged: rebased, checked again, its worktree gone, its story completed, once", async () => {
    const stage = await finishedStage();
    stage.git("switch", "--quiet", "main");
    stage.write("other.txt", "other\n");
    stage.git("add", "other.txt");
    stage.git("commit", "--quiet", "--message=Other");
    stage.git("switch", "--quiet", "elsewhere");
    await expectExit(0, saga(stage, "merge", STORY, "--json"));
    expect(stage.git("log", "--format=%s", "main")).toMatch(/Complete|form/i);
    expect(stage.git("log", "--format=%s", "main")).not.toMatch(/Start|state of/);
    expect(stage.git("branch", "--list", "story/*")).toBe("");
    expect(stage.git("ls-tree", "-r", "--name-only", "main").split("\n")).toEqual(
      expect.arrayContaining(["rehearsal/form.md", "other.txt"]),
    );
    expect(existsSync(stage.worktree)).toBe(false);
    expect(stage.json(".saga/epics.json")).toMatchObject({ stories: [{ state: "closed" }] });
    const state = (await saga(stage, "show", STORY, "--json")).json();
    expect(state).toMatchObject({ state: "completed" });
    expect(stage.git("status", "--short", "--untracked-files=no")).toBe("");
    const again = await saga(stage, "run", STORY, "--foreground");
    expect(again.exitCode).not.toBe(0);
    await expectNothingLeft(stage);
  });

  it("is not merged into a checked-out target without consent, and is with it", async () => {
    const stage = await finishedStage();
    stage.git("switch", "--quiet", "main");
    // The story is not committed here: its files are in the way of their own merge.
    expect(stage.git("status", "--short")).toBe("?? .saga/stories/");
    const mine = stage.read(`.saga/stories/${STORY}/story.json`);
    const merged = await expectExit(4, saga(stage, "merge", STORY));
    expect(merged.stderr).toContain("running the checks on the result …");
    expect(merged.stderr).not.toContain("updating main");
    expect(stage.git("status", "--short")).toBe("?? .saga/stories/");
    const advice = /^ {2}saga (?<words>.+)$/m.exec(merged.stdout)?.groups?.["words"] ?? "";
    const result = await expectExit(0, saga(stage, ...advice.split(" ")));
    expect(stage.git("status", "--short")).toBe("");
    expect(stage.git("log", "--format=%s", "HEAD")).toMatch(/form/i);
    expect(existsSync(stage.worktree)).toBe(false);
    const ref = /refs\/saga\/keep\/\S+/.exec(result.stdout)?.[0] ?? "";
    expect(stage.git("show", `${ref}:.saga/stories/${STORY}/story.json`)).toBe(mine.trim());
    await expectNothingLeft(stage);
  });

  it("is accepted and merged, and the person's checkout updated, in one command", async () => {
    const stage = await finishedStage();
    stage.git("switch", "--quiet", "main");
    const alone = await expectExit(64, saga(stage, "accept", STORY, "--update-checkout"));
    expect(alone.stderr).toContain("--update-checkout works only together with --merge.");
    const merged = await expectExit(4, saga(stage, "accept", STORY, "--merge"));
    expect(merged.stdout).toContain("passed its checks but was not merged: main is checked out in");
    await expectExit(0, saga(stage, "accept", STORY, "--merge", "--update-checkout"));
    expect(stage.git("status", "--short")).toBe("");
  });

  it("is merged into the branch that a person has checked out when they agree, asked once", async () => {
    const stage = await finishedStage();
    stage.git("switch", "--quiet", "main");
    const { env } = stage;
    const no = await expectExit(4, stage.sagaAnswered({ answer: "n", env }, "merge", STORY));
    expect(no.stdout).toContain("was not merged; nothing was changed.");
    await expectExit(
      4,
      stage.sagaAnswered({ answer: "y", env }, "merge", STORY, "--no-update-checkout"),
    );
    const yes = await expectExit(0, stage.sagaAnswered({ answer: "y", env }, "merge", STORY));
    expect(yes.stderr).toContain("updating main …");
    expect(stage.git("log", "--format=%s", "HEAD")).toMatch(/form/i);
    expect(stage.git("status", "--short")).toBe("");
  });

  it("is merged into a dirty checkout once its changes are committed, as advised", async () => {
    const stage = await finishedStage();
    stage.git("switch", "--quiet", "main");
    stage.write("README.md", "# Mine\n");
    for (const words of [
      ["merge", STORY],
      ["merge", STORY, "--update-checkout"],
    ]) {
      const merged = await expectExit(4, saga(stage, ...words));
      expect(merged.stdout).toContain("It has uncommitted changes: README.md.");
      expect(merged.stderr).not.toContain("updating main");
    }
    expect(stage.git("status", "--short", "--untracked-files=no")).toBe("M README.md");
    stage.git("commit", "--quiet", "--all", "--message=Mine");
    expect((await saga(stage, "merge", STORY, "--update-checkout")).exitCode).toBe(0);
    expect(stage.git("show", "HEAD:README.md")).toBe("# Mine");
  });

  it("is sent back with feedback, and is finished again", async () => {
    const turns: string[] = [];
    const stage = await finishedStage({ script: recorded(turns) });
    await expectExit(0, saga(stage, "reject", STORY, "Call it login.txt"));
    expect(await stage.statuses()).toMatchObject({ form: "completed", rework: "pending" });
    expect((await saga(stage, "merge", STORY)).stderr).toContain("it is not finished");
    await expectExit(0, stage.work());
    expect(turns.join()).toContain("Call it login.txt");
    // The agent that made it is asked first, and its earlier work is not paid for twice.
    const [first, second] = (await stage.events("agent.started")).map((one) => one["conversation"]);
    expect(second).toBe(first);
    const [last, before] = (await stage.store.listRuns(STORY)).filter(({ cycles }) => cycles > 0);
    expect(last?.costUsd).toBeLessThan((before?.costUsd ?? 0) * 1.5);
    expect((await saga(stage, "merge", STORY)).exitCode).toBe(0);
  });
});

describe("a story that conflicts with its target", () => {
  it("goes to its agent once, with both sides described, and is merged then", async () => {
    const turns: string[] = [];
    const steps = {
      form: [{ write: "README.md", content: "# A project with a form\n" }],
      "resolve-conflict": [{ write: "README.md", content: "# A better project with a form\n" }],
    };
    const stage = await newStage({ tasks: ONE_TASK, script: recorded(turns, steps) });
    expect((await stage.work()).exitCode).toBe(0);
    stage.write("README.md", "# A better project\n");
    stage.git("commit", "--quiet", "--all", "--message=Make it better");
    stage.git("switch", "--quiet", "--create", "elsewhere");
    const conflict = await expectExit(1, saga(stage, "merge", STORY, "--json"));
    expect(conflict.json()).toMatchObject({ kind: "conflict", taskId: "resolve-conflict" });
    await expectExit(0, stage.work());
    expect(turns.join()).toContain("Make it better");
    await expectExit(0, saga(stage, "merge", STORY, "--json"));
    expect(stage.git("show", "main:README.md")).toBe("# A better project with a form");
  });
});
