import { existsSync, readFileSync } from "node:fs";
import { getPriority } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { LOW_PRIORITY } from "../../src/machine/processes/priority.ts";
import { openLocalForge } from "../../src/machine/forge/forge-local.ts";
import { aTask } from "../support/project.ts";
import {
  expectNothingLeft,
  follows,
  newStage,
  STORY,
  TWO_TASKS,
  type Stage,
} from "../support/stage.ts";
import { expectExit } from "../support/expect-exit.ts";

const pullRequest = (stage: Stage) =>
  openLocalForge(join(stage.path, ".git/saga/pulls"), Date.now).find(`story/${STORY}`);

it("takes a story from its start to a pull request that is ready, and does nothing twice when it is run again", async () => {
  const stage = await newStage();
  const before = stage.read(`.saga/stories/${STORY}/form.json`);
  const ended = await expectExit(0, stage.work("--json"));
  expect(JSON.parse(ended.stdout)).toMatchObject({ story: STORY, outcome: "done", cycles: 1 });

  expect(await stage.statuses()).toEqual({ form: "completed", page: "completed" });
  expect(stage.commits()).toEqual(["form", "page"]);
  expect(stage.git("show", `story/${STORY}:rehearsal/form.md`)).toContain("form");
  expect(await pullRequest(stage)).toMatchObject({
    title: `Story: ${STORY}`,
    isDraft: false,
    state: "open",
    head: `story/${STORY}`,
    base: "main",
  });
  const { story } = await stage.store.readStory(STORY);
  expect(story).toMatchObject({
    status: "completed",
    branch: `story/${STORY}`,
    worktree: `.saga/worktrees/${STORY}`,
    pr: "local/1",
  });
  expect((await stage.store.viewStory(STORY)).state).toBe("review");
  await expectNothingLeft(stage);

  // It has recorded what the run cost, its model and its conversation.
  const [run] = await stage.store.listRuns(STORY);
  expect(run).toMatchObject({ outcome: "done", cycles: 1, inputTokens: 1200, outputTokens: 120 });
  expect(run?.costUsd).toBeGreaterThan(0);
  expect(run?.model).toContain("claude");
  expect(run?.conversation).toMatch(/^[0-9a-f-]{36}$/);

  // Each task has its own commit, with its changes and its new status.
  const [form = "", page = ""] = stage
    .git("log", "--reverse", "--format=%H", "--grep=Saga-Task", `story/${STORY}`)
    .split("\n");
  const files = (commit: string): string[] =>
    stage.git("show", "--format=", "--name-only", commit).split("\n");
  expect(files(form)).toContain("rehearsal/form.md");
  expect(files(form)).not.toContain("rehearsal/page.md");
  expect(files(page)).toContain(`.saga/stories/${STORY}/page.json`);
  expect(stage.git("log", "-1", "--format=%B", form)).toContain(`Saga-Story: ${STORY}`);

  // The uncommitted story was copied; the person's own copy and checkout were not touched.
  expect(stage.read(`.saga/stories/${STORY}/form.json`)).toBe(before);
  expect(existsSync(join(stage.worktree, `.saga/stories/${STORY}/form.json`))).toBe(true);
  expect(stage.git("show", `story/${STORY}:.saga/stories/${STORY}/form.json`)).toContain(
    "completed",
  );
  expect(stage.git("status", "--porcelain")).toBe("?? .saga/stories/");

  const turns = stage.model.turns();
  const head = stage.git("rev-parse", `story/${STORY}`);
  await expectExit(0, stage.work());
  expect(stage.model.turns()).toBe(turns);
  expect(stage.git("rev-parse", `story/${STORY}`)).toBe(head);
  expect((await pullRequest(stage))?.number).toBe(1);
});

it("gives the agent its story and its list, and none of the caller's secrets", async () => {
  const stage = await newStage({
    steps: { form: [{ run: "env > environment.txt; nice > nice.txt" }] },
    story: { guidance: "Keep it small." },
  });
  const secrets = { AWS_SECRET_ACCESS_KEY: "not-for-agents", GH_TOKEN: "ghp_notforagents" };
  await expectExit(0, stage.runWith({ env: secrets }, "run", STORY, "--foreground"));
  const environment = readFileSync(join(stage.worktree, "environment.txt"), "utf8");
  expect(environment).toMatch(new RegExp(`^SAGA_STORY_ID=${STORY}$`, "m"));
  expect(environment).toMatch(new RegExp(`^SAGA_STORY_PATH=${STORY}$`, "m"));
  expect(environment).toMatch(/^SAGA_STORY_TASK_LIST_ID=saga__add-login__\d{13}$/m);
  expect(environment).toMatch(/^CLAUDE_CODE_TASK_LIST_ID=saga__add-login__\d{13}$/m);
  expect(environment).toMatch(/^CLAUDE_CODE_ENABLE_TASKS=true$/m);
  expect(environment).toMatch(/^SAGA_PORT=\d+$/m);
  const plugin = /^SAGA_PLUGIN_ROOT=(?<path>.+)$/m.exec(environment)?.groups?.["path"] ?? "";
  expect(existsSync(join(plugin, ".claude-plugin/plugin.json")), plugin).toBe(true);
  expect(environment).not.toContain("not-for-agents");
  expect(environment).not.toContain("ghp_");
  // And a place behind everyone else on the machine.
  const nice = Number(readFileSync(join(stage.worktree, "nice.txt"), "utf8"));
  expect(nice).toBe(Math.max(getPriority(), LOW_PRIORITY));
});

it("starts the agent again as long as each run completes something", async () => {
  // One task in each run: it ends its turn after every completion.
  const oneByOne = follows();
  const stage = await newStage({
    script: (turn) => {
      const reply = oneByOne(turn);
      const last = turn.messages.at(-1)?.content.at(-1);
      const isDone = JSON.stringify(turn.messages).includes('"status":"completed"');
      return last?.type === "tool_result" && isDone && last.text.startsWith("Updated task")
        ? { kind: "say", blocks: [{ type: "text", text: "That is enough for now." }] }
        : reply;
    },
  });
  const ended = await stage.work("--json");
  expect(JSON.parse(ended.stdout)).toMatchObject({ outcome: "done", cycles: 2 });
  expect(stage.commits()).toEqual(["form", "page"]);
});

it("stops at its limit of agent runs, and keeps everything", async () => {
  const stage = await newStage({
    script: () => ({ kind: "say", blocks: [{ type: "text", text: "?" }] }),
  });
  const ended = await expectExit(2, stage.work("--max-cycles", "1", "--json"));
  expect(JSON.parse(ended.stdout)).toMatchObject({ outcome: "limit", cycles: 1 });
  expect((await pullRequest(stage))?.isDraft).toBe(true);
  await expectNothingLeft(stage);
});

it("stops at its limit of agent runs, also when its gate refuses the work", async () => {
  const stage = await newStage({ story: { checks: ["test -e never.txt"] } });
  const ended = await expectExit(2, stage.work("--max-cycles", "1", "--json"));
  expect(JSON.parse(ended.stdout)).toMatchObject({ outcome: "limit", cycles: 1 });
  expect(await stage.statuses()).toMatchObject({ fix: "pending" });
});

it("runs a task's checks with the variables of the settings, and without Claude's login", async () => {
  const check = 'test -z "$ANTHROPIC_API_KEY$CLAUDE_CONFIG_DIR" && test -n "$ANTHROPIC_BASE_URL"';
  const stage = await newStage({
    config: '[claude]\npass_env = ["ANTHROPIC_BASE_URL"]\n',
    tasks: [aTask("form", { checks: [check] })],
  });
  await expectExit(0, stage.work());
  expect(stage.commits()).toEqual(["form"]);
});

it("gives a task's checks their own time limit, apart from that of a tool", async () => {
  const check = "node -e 'setTimeout(() => {}, 5_000)'";
  const stage = await newStage({
    config: "[watch]\ncheck_in_minutes = 0.01\nsilent_check_ins = 1000\ntool_minutes = 0.03\n",
    tasks: [aTask("form", { checks: [check] })],
  });
  await expectExit(0, stage.work("--max-cycles", "1"));
  expect(stage.commits()).toEqual(["form"]);
});

it("stops at its cost limit", async () => {
  const stage = await newStage();
  const ended = await expectExit(2, stage.work("--max-cost", "0.001", "--json"));
  expect(JSON.parse(ended.stdout)).toMatchObject({ outcome: "limit" });
  await expectNothingLeft(stage);
});

it("ends a run at its time limit, and loses none of its work", async () => {
  const stage = await newStage({
    steps: {
      form: [
        { write: "half.txt", content: "half\n" },
        { run: 'node -e "setTimeout(() => {}, 60000)"' },
      ],
    },
  });
  await expectExit(2, stage.work("--max-time", "0.17", "--json"));
  expect(await stage.statuses()).toEqual({ form: "pending", page: "pending" });
  expect(readFileSync(join(stage.worktree, "half.txt"), "utf8")).toBe("half\n");
  expect(stage.git("for-each-ref", "refs/saga/keep")).toContain(`refs/saga/keep/${STORY}/1`);
  await expectNothingLeft(stage);
});

it("refuses a completion whose checks fail, shows the agent why, and accepts the next attempt", async () => {
  const stage = await newStage({
    tasks: [aTask("form", { checks: ["test -f good.txt || { echo no good; exit 4; }"] })],
    steps: {
      form: [
        { write: "bad.txt", content: "" },
        { tool: "TaskUpdate", input: { taskId: "form", status: "completed" } },
        { write: "good.txt", content: "" },
      ],
    },
  });
  await expectExit(0, stage.work());
  const [refused] = await stage.events("task.refused");
  expect(refused).toMatchObject({
    task: "form",
    reason: expect.stringContaining("no good") as string,
  });
  expect(stage.commits()).toEqual(["form"]);
});

it("asks, stops with its own exit code, and continues with the answer", async () => {
  const prompts: string[] = [];
  const obey = follows({ form: [{ ask: "Which colour?", because: "Both would do." }] });
  const answered = follows();
  const stage = await newStage({
    script: (turn) => {
      const prompt = JSON.stringify(turn.messages[0]);
      prompts.push(prompt);
      return prompt.includes("Blue, of course") ? answered(turn) : obey(turn);
    },
  });
  await expectExit(3, stage.work("--json"));
  expect((await stage.store.viewStory(STORY)).state).toBe("blocked");
  await expectNothingLeft(stage);

  const refused = await expectExit(1, stage.work());
  expect(refused.stderr).toContain("Which colour?");

  expect((await stage.run("resolve", STORY, "Blue, of course.")).stdout).toContain("b1");
  await expectExit(0, stage.work());
  expect(prompts.at(-1)).toContain("Which colour?");
  expect(stage.git("show", `story/${STORY}:.saga/stories/${STORY}/journal.md`)).toContain("Blue");
});

it("describes the story to the agent, without empty fields", async () => {
  const prompts: string[] = [];
  const obey = follows();
  const stage = await newStage({
    story: { title: "A login", guidance: "Keep it small.", avoid: "No libraries." },
    script: (turn) => {
      prompts.push(JSON.stringify(turn.messages[0]));
      return obey(turn);
    },
  });
  await stage.work();
  expect(prompts[0]).toContain("You are working on: A login");
  expect(prompts[0]).toContain("Guidance: Keep it small.");
  expect(prompts[0]).toContain("Avoid: No libraries.");
  expect(prompts[0]).not.toContain("Done when:");
});

it("rehearses a story with allowed files, and changes only those", async () => {
  const tasks = [
    aTask("form", { writeFiles: ["README.md"] }),
    aTask("page", { writeFiles: ["src/**/*.ts"], blockedBy: ["form"] }),
  ];
  const stage = await newStage({ tasks });
  const { stdout } = await expectExit(0, stage.run("run", STORY, "--rehearse"));
  expect(stdout).toContain("Rehearsal passed");
});

it("rehearses on a copy, and changes nothing in the project", async () => {
  const stage = await newStage({ tasks: TWO_TASKS });
  const before = stage.git("status", "--porcelain");
  const ended = await expectExit(0, stage.run("run", STORY, "--rehearse"));
  expect(ended.stdout).toContain("Rehearsal passed");
  expect(ended.stdout).toContain("Nothing was spent");
  expect(stage.git("status", "--porcelain")).toBe(before);
  expect(stage.git("branch", "--list", "story/*")).toBe("");
  expect(await stage.statuses()).toEqual({ form: "pending", page: "pending" });
  await expectNothingLeft(stage);
});
