import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Script } from "../../src/rehearsal/model-server.ts";
import { ONE_TASK, saga } from "../support/finished-stage.ts";
import { anEpic } from "../support/project.ts";
import { follows, newStage, STORY, type Stage } from "../support/stage.ts";
import { expectExit } from "../support/expect-exit.ts";

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

describe("a story that conflicts with its target", () => {
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
    await expectExit(0, stage.work());
    expect(await stage.events("task.refused")).toHaveLength(1);
    await expectExit(0, saga(stage, "merge", STORY, "--json"));
    expect(stage.git("show", "main:README.md")).toBe("# A better project with a form");
    expect(stage.git("show", "main:note.txt")).toBe("note");
  });

  it("is verified like any change: a resolution that breaks a check goes back to its agent", async () => {
    const steps = {
      form: [{ write: "README.md", content: "# A project with a form\n" }],
      "resolve-conflict": [{ write: "README.md", content: "# A broken project\n" }],
      fix: [{ write: "README.md", content: "# A better project with a form\n" }],
    };
    const checks = ["! grep -q broken README.md"];
    const stage = await newStage({ tasks: ONE_TASK, steps, story: { checks } });
    await inConflict(stage);
    await expectExit(0, stage.work());
    const gates = await stage.events("gate");
    const checksOfStory = gates.filter(({ gate, task }) => gate === "check" && task === undefined);
    expect(checksOfStory.map(({ isPassed }) => isPassed)).toEqual([true, false, true]);
    expect(stage.git("show", "main:README.md")).toBe("# A better project");
    await expectExit(0, saga(stage, "merge", STORY, "--json"));
    expect(stage.git("show", "main:README.md")).toBe("# A better project with a form");
  });

  it("a second time is one question to a person, and its agent gets the answer with the conflict", async () => {
    const turns: string[] = [];
    let readme = "# A better project with a form\n";
    const script: Script = (turn) => {
      turns.push(JSON.stringify(turn));
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
      const again = await expectExit(1, saga(stage, "merge", STORY));
      expect(again.stderr).toContain(`saga resolve ${STORY}`);
    }
    // As if it had been killed between the question and the task.
    await stage.store.setTaskStatus(STORY, "resolve-conflict", "completed");
    expect((await saga(stage, "merge", STORY, "--json")).json()).toMatchObject({
      kind: "conflict",
    });
    expect((await stage.store.readJournal(STORY)).open).toHaveLength(1);
    expect((await stage.work()).stderr).toContain(`saga resolve ${STORY}`);

    turns.length = 0;
    readme = "# The best project, without a form\n";
    expect((await saga(stage, "resolve", STORY, "Leave the form out.")).exitCode).toBe(0);
    expect((await stage.statuses())["resolve-conflict"]).toBe("pending");
    await expectExit(0, stage.work());
    expect(turns.join()).toContain("Leave the form out.");
    expect(turns.join()).toContain("Make it the best");
    await expectExit(0, saga(stage, "merge", STORY, "--json"));
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
    await expectExit(0, stage.work());
    stage.git("switch", "--quiet", "--create", "elsewhere");
    await expectExit(0, saga(stage, "merge", STORY, "--json"));
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
    await expectExit(0, saga(stage, "merge", STORY, "--json"));
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
    await expectExit(0, saga(stage, "merge", STORY, "--update-checkout", "--json"));
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
    const merged = await expectExit(0, saga(stage, "merge", STORY, "--json"));
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
