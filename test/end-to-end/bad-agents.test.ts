import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { say } from "../../src/rehearsal/scripted-agent.ts";
import type { Script } from "../../src/rehearsal/model-server.ts";
import { aTask, newFolder } from "../support/project.ts";
import { expectNothingLeft, follows, newStage, STORY } from "../support/stage.ts";
import { expectExit } from "../support/expect-exit.ts";

const update = (taskId: string, status: string) =>
  ({ tool: "TaskUpdate", input: { taskId, status } }) as const;

/** Says these one after the other, whatever it is answered; then that it is done. */
function recites(...steps: readonly Parameters<typeof say>[0][]): Script {
  let at = 0;
  return () => say(steps[at++] ?? "All done.");
}

/** The same, several at once. */
function breathes(...breaths: readonly (readonly Parameters<typeof say>[0][])[]): Script {
  let at = 0;
  return () => ({
    kind: "say",
    blocks: (breaths[at++] ?? ["All done."]).flatMap((step) => {
      const reply = say(step);
      return reply.kind === "say" ? reply.blocks : [];
    }),
  });
}

describe("an agent that", () => {
  it("says it is done and did nothing fails the story after two agent runs", async () => {
    const stage = await newStage({ script: () => say("What should I do?") });
    const ended = await expectExit(1, stage.work("--json"));
    expect(JSON.parse(ended.stdout)).toMatchObject({
      outcome: "failed",
      cycles: 2,
      reason: expect.stringContaining("completed no task") as string,
    });
    expect(await stage.statuses()).toEqual({ form: "pending", page: "pending" });
    expect((await stage.store.viewStory(STORY)).state).toBe("failed");
    await expectNothingLeft(stage);
  });

  it("marks everything completed without working is refused each time", async () => {
    const stage = await newStage({
      script: recites(update("form", "completed"), update("page", "completed")),
    });
    await expectExit(1, stage.work("--json"));
    expect(await stage.statuses()).toEqual({ form: "pending", page: "pending" });
    expect(stage.commits()).toEqual([]);
    expect((await stage.events("task.refused")).length).toBeGreaterThan(0);
  });

  it("completes two tasks at once has done only the first", async () => {
    const script = breathes(
      [{ tool: "Write", input: { file_path: "form.txt", content: "form\n" } }],
      [update("form", "completed"), update("page", "completed")],
    );
    const stage = await newStage({ tasks: [aTask("form"), aTask("page")], script });
    await stage.work("--max-cycles", "1");
    expect(Object.values(await stage.statuses()).toSorted()).toEqual(["completed", "pending"]);
    expect(await stage.events("task.refused")).toMatchObject([
      { reason: expect.stringContaining("No work was done") as string },
    ]);
    expect(stage.commits()).toHaveLength(1);
  });

  it("has a question after its last task is not done", async () => {
    const obey = follows({ form: [{ write: "a.txt", content: "a\n" }] });
    const stage = await newStage({
      tasks: [aTask("form")],
      script: (turn) => {
        const messages = JSON.stringify(turn.messages);
        const hasReported = messages.includes("mcp__saga__report_blocker");
        if (!messages.includes('"status":"completed"') || hasReported) return obey(turn);
        return say({
          tool: "mcp__saga__report_blocker",
          input: { title: "I dropped a table. Fine?" },
        });
      },
    });
    await expectExit(3, stage.work("--json"));
    expect((await stage.store.viewStory(STORY)).state).toBe("blocked");
    expect((await stage.store.readStory(STORY)).story.status).toBe("in_progress");
  });

  it("completes tasks in the wrong order is refused, with the task that comes first", async () => {
    const stage = await newStage({
      script: recites(
        { tool: "Write", input: { file_path: "page.txt", content: "page\n" } },
        update("page", "completed"),
        update("form", "completed"),
        { tool: "Write", input: { file_path: "more.txt", content: "more\n" } },
        update("page", "completed"),
      ),
    });
    await expectExit(0, stage.work());
    const [refused] = await stage.events("task.refused");
    expect(refused?.["reason"]).toContain("form must be completed first");
    expect(stage.commits()).toEqual(["form", "page"]);
  });

  it("deletes or reopens tasks is refused", async () => {
    const stage = await newStage({
      script: recites(
        update("page", "deleted"),
        { tool: "Write", input: { file_path: "a.txt", content: "a\n" } },
        update("form", "completed"),
        update("form", "pending"),
        { tool: "Write", input: { file_path: "b.txt", content: "b\n" } },
        update("page", "completed"),
      ),
    });
    await expectExit(0, stage.work());
    const refused = (await stage.events("tool.refused")).map((event) => event["reason"]);
    expect(refused).toEqual([
      expect.stringContaining("cannot be deleted"),
      expect.stringContaining("is completed and committed"),
    ]);
    expect(await stage.statuses()).toEqual({ form: "completed", page: "completed" });
  });

  it("writes a completed status into the files itself has completed nothing", async () => {
    const files = `.saga/stories/${STORY}`;
    const stage = await newStage({
      script: recites({
        tool: "Bash",
        input: {
          command: `sed -i s/pending/completed/ ${files}/*.json "$CLAUDE_CONFIG_DIR"/tasks/*/*.json`,
        },
      }),
    });
    await stage.work();
    expect(await stage.statuses()).toEqual({ form: "pending", page: "pending" });
    expect(stage.commits()).toEqual([]);
  });

  it("writes outside its worktree is refused, and nothing there changes", async () => {
    const stage = await newStage({
      steps: {
        form: [
          { write: "../../../README.md", content: "overwritten\n" },
          { write: ".saga/config.toml", content: "overwritten\n" },
          { write: ".git", content: "overwritten\n" },
          { write: "fine.txt", content: "fine\n" },
        ],
      },
    });
    await expectExit(0, stage.work());
    expect(await stage.events("tool.refused")).toHaveLength(3);
    expect(stage.read("README.md")).toBe("# A project\n");
    expect(existsSync(join(stage.worktree, "fine.txt"))).toBe(true);
  });

  it("is killed fails the story at once, keeps its work, and the next run continues", async () => {
    const killer = await newStage({
      steps: {
        page: [
          { write: "half.txt", content: "half\n" },
          { run: `node -e 'fs.rmSync(process.env.HOME + "/kill-once")' && kill -9 $PPID; true` },
        ],
      },
    });
    writeFileSync(join(killer.home, "kill-once"), "");
    const ended = await expectExit(1, killer.work("--json"));
    expect(JSON.parse(ended.stdout)).toMatchObject({
      outcome: "failed",
      cycles: 1,
      reason: expect.stringContaining("SIGKILL") as string,
    });
    expect(await killer.statuses()).toEqual({ form: "completed", page: "pending" });
    expect(existsSync(join(killer.worktree, "half.txt"))).toBe(true);
    await expectNothingLeft(killer);
    await expectExit(0, killer.work());
    expect(killer.commits()).toEqual(["form", "page"]);
  });

  it("makes git run a program gets it run by its own git only", async () => {
    const folder = newFolder("ran").path;
    const evil = `sh -c 'echo $PPID >> ${folder}/evil; cat'`;
    const stage = await newStage({
      tasks: [aTask("form")],
      steps: {
        form: [
          { run: `git config filter.evil.clean "${evil}"; git config core.fsmonitor /bin/false` },
          { run: "echo '* filter=evil' > .gitattributes; echo form > form.txt" },
        ],
      },
    });
    stage.git("config", "filter.mine.clean", "cat");
    const ended = await expectExit(0, stage.work());
    expect(existsSync(join(folder, "evil"))).toBe(false);
    expect(ended.stdout).toContain("filter.evil.clean was set to");
    const config = stage.git("config", "--local", "--list");
    expect(config).not.toContain("evil");
    expect(config).toContain("filter.mine.clean=cat");
  });

  it("writes a secret into the journal leaves only a redacted mark", async () => {
    const secret = `ghp_${"a1B2".repeat(9)}`;
    const entry = { kind: "decision", title: `Used ${secret}`, body: `It is ${secret}.` };
    const stage = await newStage({
      tasks: [aTask("form")],
      steps: {
        form: [
          { tool: "mcp__saga__journal", input: entry },
          { write: "form.txt", content: "form\n" },
        ],
      },
    });
    await expectExit(0, stage.work());
    const journal = stage.git("show", `story/${STORY}:.saga/stories/${STORY}/journal.md`);
    expect(journal).toContain("Used …");
    expect(journal).toContain("It is ….");
    expect(journal).not.toContain(secret);
  });
});
