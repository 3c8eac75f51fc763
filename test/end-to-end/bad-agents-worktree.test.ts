import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startTimeOf } from "../../src/machine/processes/process-id.ts";
import { aTask, newFolder } from "../support/project.ts";
import { expectNothingLeft, newStage, STORY } from "../support/stage.ts";
import { expectExit } from "../support/expect-exit.ts";

describe("an agent that", () => {
  it("completes every task without changing a file is done only if a person confirms it", async () => {
    const talk = [{ decide: "It is fine as it is" }];
    const stage = await newStage({ steps: { form: talk, page: talk } });
    const ended = await expectExit(3, stage.work("--json"));
    expect(JSON.parse(ended.stdout)).toMatchObject({
      reason: expect.stringContaining("no file was changed") as string,
    });
    expect((await stage.store.readStory(STORY)).story.status).toBe("in_progress");
    expect((await stage.run("status")).stdout).toContain("Is that right?");
    await stage.run("resolve", STORY, "Yes, there was nothing to change.");
    await expectExit(0, stage.work());
    expect((await stage.store.readStory(STORY)).story.status).toBe("completed");
  });

  it.each([
    ["switches to another branch", "git switch -q -c elsewhere", "git switch -q story/add-login"],
    ["leaves HEAD on no branch", "git checkout -q --detach", "git switch -q story/add-login"],
    [
      "leaves merge conflicts",
      "git switch -q -c side && echo side > c && git add c && git -c user.name=A -c user.email=a@b commit -qm side && git switch -q story/add-login && echo own > c && git add c && git -c user.name=A -c user.email=a@b commit -qm own; git -c user.name=A -c user.email=a@b merge -q side || true",
      "git merge --abort",
    ],
    [
      "makes a repository inside",
      "git init -q sub && touch sub/a && git -C sub add a && git -C sub -c user.name=A -c user.email=a@b commit -qm sub",
      "rm -rf sub/.git",
    ],
  ])("%s is refused with the reason when it completes, and can fix it", async (_, trouble, fix) => {
    const stage = await newStage({
      tasks: [aTask("form")],
      steps: {
        form: [
          { run: `${trouble}; touch form.txt` },
          { tool: "TaskUpdate", input: { taskId: "form", status: "completed" } },
          { run: fix },
        ],
      },
    });
    await expectExit(0, stage.work());
    expect(await stage.events("task.refused")).toHaveLength(1);
    expect(stage.commits()).toEqual(["form"]);
    await expectNothingLeft(stage);
  });

  it("removes the worktree's .git file finds it restored", async () => {
    const stage = await newStage({
      steps: { form: [{ run: `node -e 'fs.rmSync(".git")' && touch form.txt` }] },
    });
    await expectExit(0, stage.work());
    expect(stage.commits()).toEqual(["form", "page"]);
    expect(stage.git("log", "--format=%s", "main")).toBe("First");
  });

  it("empties Claude's list by hand loses no recorded status", async () => {
    const stage = await newStage({
      steps: { page: [{ run: 'rm -f "$CLAUDE_CONFIG_DIR"/tasks/*/*.json; touch page.txt' }] },
    });
    await expectExit(1, stage.work("--json"));
    expect(await stage.statuses()).toEqual({ form: "completed", page: "pending" });
    await expectExit(1, stage.work());
    expect(stage.commits()).toEqual(["form"]);
  });

  it("removes or breaks its own story's files finds them restored", async () => {
    const folder = `.saga/stories/${STORY}`;
    const stage = await newStage({
      steps: {
        form: [{ run: `rm ${folder}/page.json && touch form.txt` }],
        page: [
          { run: `echo '{' > ${folder}/form.json && rm ${folder}/story.json && touch page.txt` },
        ],
      },
    });
    await expectExit(0, stage.work());
    expect(await stage.statuses()).toEqual({ form: "completed", page: "completed" });
    expect((await stage.store.readStory(STORY)).source).toBe("worktree");
    const committed = stage.git("ls-tree", "--name-only", `story/${STORY}:${folder}`).split("\n");
    expect(committed).toEqual(["form.json", "journal.md", "page.json", "story.json"]);
    expect((await stage.run("validate")).exitCode).toBe(0);
    expect(stage.git("show", `story/${STORY}:${folder}/form.json`)).toContain("Do form");
  });

  it("leaves programs running has them ended", async () => {
    const stage = await newStage({
      steps: {
        form: [
          {
            run: 'touch form.txt; setsid node -e "setInterval(() => {}, 1000)" > /dev/null 2>&1 &',
          },
        ],
      },
    });
    await expectExit(0, stage.work());
    await expectNothingLeft(stage);
    expect(stage.processes()).toEqual([]);
  });

  it.runIf(process.platform === "linux")(
    "starts daemons that detach themselves has them ended, and so has a check",
    async () => {
      // Another session, no parent, no environment: only its descent says whose it is.
      const daemon = (name: string): string =>
        `setsid env -i sh -c '(echo $$ > ${name}.tmp; mv ${name}.tmp ${name}; exec sleep 1000) & exit' > /dev/null 2>&1 < /dev/null; nohup env -i sh -c '(sleep 1000 & echo $! > ${name}-2) & exit' > /dev/null 2>&1 &`;
      const folder = newFolder("daemons").path;
      const stage = await newStage({
        tasks: [aTask("form", { checks: [`${daemon(join(folder, "check"))} sleep 0.3`] })],
        steps: { form: [{ run: `touch form.txt; ${daemon(join(folder, "agent"))} sleep 0.3` }] },
      });
      await expectExit(0, stage.work());
      const pids = readdirSync(folder).map((name) => Number(readFileSync(join(folder, name))));
      expect(pids).toHaveLength(4);
      expect(pids.filter((pid) => startTimeOf(pid) !== undefined)).toEqual([]);
      await expectNothingLeft(stage);
    },
  );

  it("hangs is killed at its time limit, even if it ignores signals", async () => {
    const stage = await newStage({ steps: { form: [{ run: "touch a.txt; kill -STOP $PPID" }] } });
    const ended = await expectExit(2, stage.work("--max-time", "0.17", "--json"));
    expect(JSON.parse(ended.stdout)).toMatchObject({ outcome: "limit" });
    const [run] = await stage.store.listRuns(STORY);
    // There was no bill any more; what was used is known all the same.
    expect(run?.inputTokens).toBeGreaterThan(0);
    await expectNothingLeft(stage);
    expect(stage.processes()).toEqual([]);
  });

  it("creates tasks of its own does not change the story's tasks", async () => {
    const stage = await newStage({
      steps: {
        form: [
          { tool: "TaskCreate", input: { subject: "A note to self", description: "Look twice." } },
          { write: "form.txt", content: "form\n" },
        ],
      },
    });
    await expectExit(0, stage.work());
    expect(await stage.statuses()).toEqual({ form: "completed", page: "completed" });
  });
});
