import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Script } from "../../src/rehearsal/model-server.ts";
import { finishedStage, ONE_TASK, saga } from "../support/finished-stage.ts";
import { anEpic, aTask } from "../support/project.ts";
import {
  expectNothingLeft,
  follows,
  newStage,
  STORY,
  type Stage,
  type StageOptions,
} from "../support/stage.ts";

/** Two hours from now, for one program. */
const AHEAD = "data:text/javascript,const{now}=Date;Date.now=()=>now()+7200000";

/** A scripted agent, and all that it was told. */
function overheard(heard: string[], steps: StageOptions["steps"] = {}): Script {
  const obey = follows(steps);
  return (turn) => {
    heard.push(JSON.stringify(turn));
    return obey(turn);
  };
}

/** What the target has done in the meantime; a person's checkout is elsewhere. */
function onMain(stage: Stage, readme: string, message: string): void {
  stage.git("switch", "--quiet", "main");
  stage.write("README.md", readme);
  stage.git("commit", "--quiet", "--all", `--message=${message}`);
  stage.git("switch", "--quiet", "-C", "elsewhere");
}

/** Its work is done, and its conflict with the target is in the hands of its agent. */
async function inConflict(stage: Stage): Promise<void> {
  expect((await stage.work()).exitCode).toBe(0);
  onMain(stage, "# A better project\n", "Make it better");
  const conflict = await saga(stage, "merge", STORY, "--json");
  expect(conflict.json()).toMatchObject({ kind: "conflict", taskId: "resolve-conflict" });
}

describe("a story that has passed its gate", () => {
  it("and was merged while the clock was ahead does not start again when the clock is corrected", async () => {
    const stage = await finishedStage();
    const ahead = await stage.runWith({ node: ["--import", AHEAD] }, "merge", STORY);
    expect(ahead.exitCode, ahead.stderr).toBe(0);
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
    const refused = await saga(stage, "accept", STORY, "--merge", "--json");
    expect(refused.exitCode).toBe(1);
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
    const stage = await finishedStage({ story: { checks: [check] } });
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
    expect(journal.entries).toMatchObject([{ kind: "receipt", title: "3 gates passed" }]);
    const shown = await saga(stage, "show", STORY, "--json");
    expect(JSON.stringify(shown.json()["pullRequest"])).toContain("test -e rehearsal/form.md");
    const verified = await saga(stage, "verify", STORY, "--json");
    expect(verified.json()).toMatchObject({ isVerified: true, fresh: [{}, {}] });

    stage.git("-C", stage.worktree, "rm", "--quiet", "rehearsal/form.md");
    stage.git("-C", stage.worktree, "commit", "--quiet", "--message=Oops");
    const broken = await saga(stage, "verify", STORY, "--json");
    expect(broken.exitCode).toBe(1);
    expect(broken.json()).toMatchObject({ isVerified: false, held: [] });
  });

  it("is merged: rebased, checked again, its worktree gone, its story completed, once", async () => {
    const stage = await finishedStage();
    stage.git("switch", "--quiet", "main");
    stage.write("other.txt", "other\n");
    stage.git("add", "other.txt");
    stage.git("commit", "--quiet", "--message=Other");
    stage.git("switch", "--quiet", "elsewhere");
    const merged = await saga(stage, "merge", STORY, "--json");
    expect(merged.exitCode, merged.stdout + merged.stderr).toBe(0);
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
    // Nobody has committed the story here: its files are in the way of their own merge.
    expect(stage.git("status", "--short")).toBe("?? .saga/stories/");
    const mine = stage.read(`.saga/stories/${STORY}/story.json`);
    const merged = await saga(stage, "merge", STORY);
    expect(merged.exitCode).toBe(4);
    expect(merged.stderr).toContain("running the checks on the result …");
    expect(merged.stderr).not.toContain("updating main");
    expect(stage.git("status", "--short")).toBe("?? .saga/stories/");
    const advice = /^ {2}saga (?<words>.+)$/m.exec(merged.stdout)?.groups?.["words"] ?? "";
    const taken = await saga(stage, ...advice.split(" "));
    expect(taken.exitCode, taken.stdout + taken.stderr).toBe(0);
    expect(stage.git("status", "--short")).toBe("");
    expect(stage.git("log", "--format=%s", "HEAD")).toMatch(/form/i);
    expect(existsSync(stage.worktree)).toBe(false);
    const ref = /refs\/saga\/keep\/\S+/.exec(taken.stdout)?.[0] ?? "";
    expect(stage.git("show", `${ref}:.saga/stories/${STORY}/story.json`)).toBe(mine.trim());
    await expectNothingLeft(stage);
  });

  it("is accepted and merged, and the person's checkout updated, in one command", async () => {
    const stage = await finishedStage();
    stage.git("switch", "--quiet", "main");
    const alone = await saga(stage, "accept", STORY, "--update-checkout");
    expect(alone.exitCode).toBe(64);
    expect(alone.stderr).toContain("--update-checkout needs --merge.");
    const merged = await saga(stage, "accept", STORY, "--merge");
    expect(merged.exitCode).toBe(4);
    expect(merged.stdout).toContain("passed its checks but was not merged: main is checked out in");
    const taken = await saga(stage, "accept", STORY, "--merge", "--update-checkout");
    expect(taken.exitCode, taken.stdout + taken.stderr).toBe(0);
    expect(stage.git("status", "--short")).toBe("");
  });

  it("is merged into the branch that a person has checked out when they agree, asked once", async () => {
    const stage = await finishedStage();
    stage.git("switch", "--quiet", "main");
    const { env } = stage;
    const no = await stage.sagaAnswered({ answer: "n", env }, "merge", STORY);
    expect(no.exitCode).toBe(4);
    expect(no.stdout).toContain("was not merged; nothing was changed.");
    const told = await stage.sagaAnswered(
      { answer: "y", env },
      "merge",
      STORY,
      "--no-update-checkout",
    );
    expect(told.exitCode).toBe(4);
    const yes = await stage.sagaAnswered({ answer: "y", env }, "merge", STORY);
    expect(yes.exitCode, yes.stdout + yes.stderr).toBe(0);
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
      const merged = await saga(stage, ...words);
      expect(merged.exitCode).toBe(4);
      expect(merged.stdout).toContain("It has uncommitted changes: README.md.");
      expect(merged.stderr).not.toContain("updating main");
    }
    expect(stage.git("status", "--short", "--untracked-files=no")).toBe("M README.md");
    stage.git("commit", "--quiet", "--all", "--message=Mine");
    expect((await saga(stage, "merge", STORY, "--update-checkout")).exitCode).toBe(0);
    expect(stage.git("show", "HEAD:README.md")).toBe("# Mine");
  });

  it("is sent back with feedback, and is finished again", async () => {
    const heard: string[] = [];
    const stage = await finishedStage({ script: overheard(heard) });
    const rejected = await saga(stage, "reject", STORY, "Call it login.txt");
    expect(rejected.exitCode, rejected.stderr).toBe(0);
    expect(await stage.statuses()).toMatchObject({ form: "completed", rework: "pending" });
    expect((await saga(stage, "merge", STORY)).stderr).toContain("it is not finished");
    const ended = await stage.work();
    expect(ended.exitCode, ended.stdout).toBe(0);
    expect(heard.join()).toContain("Call it login.txt");
    // The agent that made it is asked first, and its earlier work is not paid for twice.
    const [first, second] = (await stage.events("agent.started")).map((one) => one["conversation"]);
    expect(second).toBe(first);
    const [last, before] = (await stage.store.listRuns(STORY)).filter(({ cycles }) => cycles > 0);
    expect(last?.costUsd).toBeLessThan((before?.costUsd ?? 0) * 1.5);
    expect((await saga(stage, "merge", STORY)).exitCode).toBe(0);
  });
});

it("the cost of a story that was sent back counts each conversation once", async () => {
  const stage = await finishedStage();
  for (const why of ["Call it login.txt", "Call it sign-in.txt"]) {
    expect((await saga(stage, "reject", STORY, why)).exitCode).toBe(0);
    expect((await stage.work()).exitCode).toBe(0);
  }
  // The last bill of a conversation holds all that was paid for it.
  const bills = new Map<unknown, number>();
  let heard: unknown;
  for (const event of await stage.events()) {
    if (event.type === "agent.started") heard = event["conversation"];
    if (event.type === "agent.billed") bills.set(heard, Number(event["costUsd"]));
  }
  const paid = [...bills.values()].reduce((sum, bill) => sum + bill, 0);
  const runs = await stage.store.listRuns(STORY);
  expect(runs.reduce((sum, { costUsd }) => sum + costUsd, 0)).toBeCloseTo(paid, 6);
});

describe("a story that its gate refuses", () => {
  it("goes to its agent with the reason, and passes after the fix", async () => {
    const stage = await newStage({
      tasks: ONE_TASK,
      story: { checks: ["test -e rehearsal/fix.md"] },
    });
    const ended = await stage.work();
    expect(ended.exitCode, ended.stdout).toBe(0);
    expect(await stage.statuses()).toEqual({ form: "completed", fix: "completed" });
    expect((await stage.events("gate")).map(({ isPassed }) => isPassed)).toEqual([
      true,
      false,
      // Its own check, then the gate again.
      true,
      true,
      true,
    ]);
  });

  it("fails if it cannot be fixed; a person may override the rule with a reason", async () => {
    const stage = await newStage({
      tasks: ONE_TASK,
      config: "[gate]\nfix_rounds = 0\nprotected = ['rehearsal/**']\n",
    });
    const ended = await stage.work("--json");
    expect(ended.exitCode).toBe(1);
    expect(JSON.parse(ended.stdout)).toMatchObject({ outcome: "failed" });
    stage.git("switch", "--quiet", "--create", "elsewhere");
    expect((await saga(stage, "merge", STORY)).stderr).toContain("protected");
    expect((await saga(stage, "accept", STORY)).stderr).toContain("--override protected");
    expect((await saga(stage, "accept", STORY, "--override", "protected")).exitCode).toBe(64);
    const why = ["--override", "protected", "--why", "It had to be."];
    const accepted = await saga(stage, "accept", STORY, ...why);
    expect(accepted.exitCode, accepted.stderr).toBe(0);
    expect((await saga(stage, "show", STORY, "--json")).json()).toMatchObject({ state: "review" });
    const journal = await stage.store.readJournal(STORY);
    expect(journal.entries.at(-1)?.body).toContain("It had to be.");
    expect((await saga(stage, "merge", STORY)).exitCode).toBe(0);
  });

  it("is refused with the failed rule, not with the checks that did not run because of it", async () => {
    const stage = await newStage({
      tasks: ONE_TASK,
      story: { checks: ["true"], writeFiles: ["src/**"] },
      config: "[gate]\nfix_rounds = 0\n",
    });
    expect((await stage.work()).exitCode).toBe(1);
    const merged = await saga(stage, "merge", STORY);
    expect(merged.stderr).toContain("undeclared: ");
    expect(merged.stderr).not.toContain("was not run");
  });

  it("is refused for a key in its history even if a later task removed it", async () => {
    const key = ["AKIA", "QWERTYUIOPASDFGH"].join("");
    const stage = await newStage({
      steps: {
        form: [{ write: "form.txt", content: `key = "${key}"\n` }],
        page: [{ write: "form.txt", content: "nothing\n" }],
      },
    });
    expect((await stage.work()).exitCode).toBe(1);
    const merged = await saga(stage, "merge", STORY);
    expect(merged.stderr).toContain("secret");
    expect(merged.stderr).toContain("form.txt");
    expect(merged.stderr).not.toContain(key);
  });

  it("that was accepted and then sent back is not merged unchanged", async () => {
    const stage = await finishedStage();
    expect((await saga(stage, "accept", STORY)).exitCode).toBe(0);
    expect((await saga(stage, "reject", STORY, "All of it is wrong.")).exitCode).toBe(0);
    await stage.store.setTaskStatus(STORY, "rework", "completed");
    expect((await saga(stage, "merge", STORY)).stderr).toContain("A person sent it back.");
  });

  it("that adds a key is a question for a person, and nothing is pushed or merged", async () => {
    // In two pieces, so that nobody takes this file for the place of a key.
    const key = ["AKIA", "QWERTYUIOPASDFGH"].join("");
    const stage = await newStage({
      tasks: ONE_TASK,
      steps: { form: [{ write: "form.txt", content: `key = "${key}"\n` }] },
    });
    const ended = await stage.work("--json");
    expect(ended.exitCode).toBe(1);
    expect(ended.stdout).not.toContain(key);
    expect(await stage.statuses()).toEqual({ form: "completed" });
    expect((await saga(stage, "merge", STORY)).stderr).toContain("secret");
  });
});

describe("a story that conflicts with its target", () => {
  it("goes to its agent once, with both sides described, and is merged then", async () => {
    const heard: string[] = [];
    const steps = {
      form: [{ write: "README.md", content: "# A project with a form\n" }],
      "resolve-conflict": [{ write: "README.md", content: "# A better project with a form\n" }],
    };
    const stage = await newStage({ tasks: ONE_TASK, script: overheard(heard, steps) });
    expect((await stage.work()).exitCode).toBe(0);
    stage.write("README.md", "# A better project\n");
    stage.git("commit", "--quiet", "--all", "--message=Make it better");
    stage.git("switch", "--quiet", "--create", "elsewhere");
    const conflict = await saga(stage, "merge", STORY, "--json");
    expect(conflict.exitCode).toBe(1);
    expect(conflict.json()).toMatchObject({ kind: "conflict", taskId: "resolve-conflict" });
    const ended = await stage.work();
    expect(ended.exitCode, ended.stdout).toBe(0);
    expect(heard.join()).toContain("Make it better");
    const merged = await saga(stage, "merge", STORY, "--json");
    expect(merged.exitCode, merged.stdout + merged.stderr).toBe(0);
    expect(stage.git("show", "main:README.md")).toBe("# A better project with a form");
  });

  it.each(["git merge --abort", "git reset --hard --quiet"])(
    "is not resolved by an agent that gives it up with %s",
    async (run) => {
      const steps = {
        form: [{ write: "README.md", content: "# A project with a form\n" }],
        "resolve-conflict": [{ run }],
      };
      const stage = await newStage({ tasks: ONE_TASK, steps });
      await inConflict(stage);
      expect((await stage.work()).exitCode).toBe(1);
      const refused = (await stage.events("task.refused")).map(({ reason }) => String(reason));
      expect(refused.join()).toContain("The merge of main was aborted");
      expect(refused.join()).toContain("README.md");
      expect((await stage.statuses())["resolve-conflict"]).toBe("pending");
      expect((await saga(stage, "merge", STORY)).stderr).toContain("it is not finished");
    },
  );

  it("is started again if its agent aborted the merge, and the agent's work is kept", async () => {
    const steps = {
      form: [{ write: "README.md", content: "# A project with a form\n" }],
      "resolve-conflict": [
        { run: "git merge --abort" },
        { write: "README.md", content: "# Something else\n" },
        { write: "note.txt", content: "note\n" },
        { tool: "TaskUpdate", input: { taskId: "resolve-conflict", status: "completed" } },
        { run: "grep -q '<<<<<<<' README.md && grep -q 'Something else' README.md && echo seen" },
        { write: "README.md", content: "# A better project with a form\n" },
      ],
    };
    const stage = await newStage({ tasks: ONE_TASK, steps });
    await inConflict(stage);
    const ended = await stage.work();
    expect(ended.exitCode, ended.stdout).toBe(0);
    expect(await stage.events("task.refused")).toHaveLength(1);
    const merged = await saga(stage, "merge", STORY, "--json");
    expect(merged.exitCode, merged.stdout + merged.stderr).toBe(0);
    expect(stage.git("show", "main:README.md")).toBe("# A better project with a form");
    expect(stage.git("show", "main:note.txt")).toBe("note");
  });

  it("a second time is one question to a person, and its agent gets the answer with the conflict", async () => {
    const heard: string[] = [];
    let readme = "# A better project with a form\n";
    const script: Script = (turn) => {
      heard.push(JSON.stringify(turn));
      return follows({
        form: [{ write: "README.md", content: "# A project with a form\n" }],
        "resolve-conflict": [{ write: "README.md", content: readme }],
      })(turn);
    };
    const stage = await newStage({ tasks: ONE_TASK, script });
    await inConflict(stage);
    expect((await stage.work()).exitCode).toBe(0);
    onMain(stage, "# The best project\n", "Make it the best");
    const conflict = await saga(stage, "merge", STORY, "--json");
    expect(conflict.json()).toMatchObject({ kind: "conflict" });
    expect(conflict.json()).not.toHaveProperty("taskId");
    for (let times = 0; times < 2; times++) {
      const again = await saga(stage, "merge", STORY);
      expect(again.exitCode).toBe(1);
      expect(again.stderr).toContain(`saga resolve ${STORY}`);
    }
    // As if it had been killed between the question and the task.
    await stage.store.setTaskStatus(STORY, "resolve-conflict", "completed");
    expect((await saga(stage, "merge", STORY, "--json")).json()).toMatchObject({
      kind: "conflict",
    });
    expect((await stage.store.readJournal(STORY)).open).toHaveLength(1);
    expect((await stage.work()).stderr).toContain(`saga resolve ${STORY}`);

    heard.length = 0;
    readme = "# The best project, without a form\n";
    expect((await saga(stage, "resolve", STORY, "Leave the form out.")).exitCode).toBe(0);
    expect((await stage.statuses())["resolve-conflict"]).toBe("pending");
    const ended = await stage.work();
    expect(ended.exitCode, ended.stdout).toBe(0);
    expect(heard.join()).toContain("Leave the form out.");
    expect(heard.join()).toContain("Make it the best");
    const merged = await saga(stage, "merge", STORY, "--json");
    expect(merged.exitCode, merged.stdout + merged.stderr).toBe(0);
    expect(stage.git("show", "main:README.md")).toBe("# The best project, without a form");
  });
});

describe("a story whose local target differs from the remote's", () => {
  const config = "[git]\npush = 'never'\n[gate]\nprotected = ['protected.txt']\n";

  /** A colleague's commit, pushed, that no story may make. */
  function pushedByOthers(stage: Stage): string {
    const origin = join(stage.home, "origin.git");
    stage.git("clone", "--quiet", "--bare", stage.path, origin);
    stage.git("remote", "add", "origin", origin);
    const clone = join(stage.home, "colleague");
    stage.git("clone", "--quiet", origin, clone);
    writeFileSync(join(clone, "protected.txt"), "theirs\n");
    stage.git("-C", clone, "add", "--all");
    stage.git("-C", clone, "commit", "--quiet", "--message=Theirs");
    stage.git("-C", clone, "push", "--quiet", "origin", "main");
    return stage.git("-C", clone, "rev-parse", "HEAD");
  }

  it("is judged by its own work only, and includes the commits that it started from", async () => {
    const stage = await newStage({ tasks: ONE_TASK, config });
    const theirs = pushedByOthers(stage);
    const ended = await stage.work();
    expect(ended.exitCode, ended.stdout).toBe(0);
    stage.git("switch", "--quiet", "--create", "elsewhere");
    const merged = await saga(stage, "merge", STORY, "--json");
    expect(merged.exitCode, merged.stdout + merged.stderr).toBe(0);
    expect(stage.git("merge-base", theirs, "main")).toBe(theirs);
    expect(stage.git("show", "main:rehearsal/form.md")).not.toBe("");
  });

  it("keeps both sides if both have new commits, and copies no commit", async () => {
    const stage = await newStage({ tasks: ONE_TASK, config });
    const theirs = pushedByOthers(stage);
    stage.write("protected.txt.mine", "mine\n");
    stage.git("add", "protected.txt.mine");
    stage.git("commit", "--quiet", "--message=Mine");
    const mine = stage.git("rev-parse", "main");
    expect((await stage.work()).exitCode).toBe(0);
    stage.git("switch", "--quiet", "--create", "elsewhere");
    const merged = await saga(stage, "merge", STORY, "--json");
    expect(merged.exitCode, merged.stdout + merged.stderr).toBe(0);
    for (const commit of [mine, theirs]) {
      expect(stage.git("merge-base", commit, "main")).toBe(commit);
    }
    expect(stage.git("log", "--format=%s", "main").match(/^Theirs$/gm)).toHaveLength(1);
  });

  it("is still refused for what it does itself", async () => {
    const steps = { form: [{ write: "protected.txt", content: "changed\n" }] };
    const stage = await newStage({ tasks: ONE_TASK, steps, config: `${config}fix_rounds = 0\n` });
    pushedByOthers(stage);
    expect((await stage.work()).exitCode).toBe(1);
    expect((await saga(stage, "merge", STORY)).stderr).toContain("protected");
  });
});

function commitEpic(stage: Stage, ids: readonly string[]): void {
  const children = ids.map((id) => ({ id }));
  stage.write(EPIC_FILE, anEpic("shop", children, { status: "pending" }));
  stage.git("add", EPIC_FILE);
  stage.git("commit", "--quiet", "--message=Plan");
}

const EPIC_FILE = ".saga/epics/shop/epic.json";

const epicStatusIn = (stage: Stage, branch: string): unknown =>
  (JSON.parse(stage.git("show", `${branch}:${EPIC_FILE}`)) as { status: unknown }).status;

describe("a story of an epic", () => {
  it("updates the epic's status with its merge, and leaves the person's checkout clean", async () => {
    const stage = await newStage({ tasks: ONE_TASK, story: { epic: "shop" } });
    commitEpic(stage, [STORY, "shop--later"]);
    expect((await stage.work()).exitCode).toBe(0);
    const merged = await saga(stage, "merge", STORY, "--update-checkout", "--json");
    expect(merged.exitCode, merged.stdout + merged.stderr).toBe(0);
    expect(epicStatusIn(stage, "main")).toBe("in_progress");
    expect(stage.json(EPIC_FILE)).toMatchObject({ status: "in_progress" });
    expect(stage.git("status", "--short", "--untracked-files=no")).toBe("");
    expect(stage.git("log", "--format=%s", "--merges", "main")).toBe("");
  });
});

describe("a story of an epic that is delivered as one", () => {
  it("starts from the epic's branch, and is merged into it", async () => {
    const stage = await newStage({
      tasks: ONE_TASK,
      story: { epic: "shop" },
      config: '[delivery]\nkind = "epic-branch"\n',
    });
    commitEpic(stage, [STORY]);
    expect((await stage.work()).exitCode).toBe(0);
    const merged = await saga(stage, "merge", STORY, "--json");
    expect(merged.exitCode, merged.stdout + merged.stderr).toBe(0);
    expect(merged.json()).toMatchObject({ kind: "merged", into: "epic/shop" });
    expect(stage.git("log", "--format=%s", "main")).toBe("Plan\nFirst");
    expect(stage.git("ls-tree", "-r", "--name-only", "epic/shop")).toContain("rehearsal/form.md");
    expect(epicStatusIn(stage, "epic/shop")).toBe("completed");
    expect(epicStatusIn(stage, "main")).toBe("pending");
    expect(stage.git("status", "--short", ".saga/epics")).toBe("");
    expect((await saga(stage, "show", STORY, "--json")).json()).toMatchObject({
      state: "completed",
    });
  });
});

describe("a story that needs a tester and a reviewer", () => {
  it("passes when both pass it, after its agent fixed their findings", async () => {
    const obey = follows();
    const asked: string[] = [];
    const script: Script = (turn) => {
      if (!turn.tools.includes("mcp__saga__verdict")) return obey(turn);
      const prompt = JSON.stringify(turn.messages[0]);
      const who = prompt.includes("You are the tester") ? "test" : "review";
      if (turn.messages.some(({ role }) => role === "assistant"))
        return { kind: "say", blocks: [{ type: "text", text: "Bye." }] };
      asked.push(`${who} ${turn.tools.includes("Bash") ? "runs" : "reads"}`);
      const isPassed = who === "test" || asked.length > 2;
      const findings = isPassed
        ? []
        : [{ file: "rehearsal/form.md", message: "It says too little." }];
      const input = { isPassed, summary: "Looked at it.", findings };
      return { kind: "say", blocks: [{ type: "tool_use", name: "mcp__saga__verdict", input }] };
    };
    const story = { needsTesting: true, needsReview: true };
    const stage = await newStage({ tasks: ONE_TASK, story, script });
    const ended = await stage.work();
    expect(ended.exitCode, ended.stdout).toBe(0);
    expect(asked).toEqual(["test runs", "review reads", "test runs", "review reads"]);
    expect(await stage.statuses()).toEqual({ form: "completed", fix: "completed" });
    expect((await stage.events("gate")).map(({ gate, isPassed }) => [gate, isPassed])).toEqual([
      ["diff", true],
      ["test", true],
      ["review", false],
      ["diff", true],
      ["test", true],
      ["review", true],
    ]);
  });

  it("without a verdict waits for a person's decision", async () => {
    const obey = follows();
    const script: Script = (turn) =>
      turn.tools.includes("mcp__saga__verdict")
        ? { kind: "say", blocks: [{ type: "text", text: "Looks fine to me." }] }
        : obey(turn);
    const config = "[gate]\nfix_rounds = 0\n";
    const stage = await newStage({ tasks: ONE_TASK, story: { needsReview: true }, script, config });
    expect((await stage.work()).exitCode).toBe(1);
    expect((await saga(stage, "merge", STORY)).stderr).toContain(
      "The reviewer has not passed it yet.",
    );
    expect((await saga(stage, "accept", STORY)).exitCode).toBe(0);
    stage.git("switch", "--quiet", "--create", "elsewhere");
    expect((await saga(stage, "merge", STORY)).exitCode).toBe(0);
  });
});
