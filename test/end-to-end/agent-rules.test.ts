// The prompt names every rule that the work is judged by: seen in what the real Claude Code sends to the model.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { GateRule } from "../../src/story/receipts/receipt.ts";
import { RULES } from "../../src/story/receipts/rules.ts";
import type { Content, Script, Turn } from "../../src/rehearsal/model-server.ts";
import { ONE_TASK, saga, work } from "../support/finished-stage.ts";
import { newPoolStage, poolScript, worker } from "../support/pool-stage.ts";
import { aTask } from "../support/project.ts";
import { follows, newStage, STORY, type Stage, type StageOptions } from "../support/stage.ts";

const textOf = (content: Content): string[] =>
  content.type === "text" || content.type === "tool_result" ? [content.text] : [];
const wordsOf = ({ messages }: Turn): string =>
  messages.flatMap(({ content }) => content.flatMap(textOf)).join("\n");

/** Every turn of the agent that does the work, as it was asked for. */
function listening(options: StageOptions): { readonly script: Script; readonly turns: Turn[] } {
  const turns: Turn[] = [];
  const obey = follows(options.steps);
  const script: Script = (turn) => {
    turns.push(turn);
    return obey(turn);
  };
  return { script, turns };
}

async function listeningStage(
  options: StageOptions,
): Promise<{ readonly stage: Stage; readonly turns: readonly Turn[] }> {
  const { script, turns } = listening(options);
  return { stage: await newStage({ ...options, script }), turns };
}

const CONFIG = `
[gate]
fix_rounds = 1
protected = ["deploy/**"]
max_files = 41
max_lines = 4242
max_deleted_files = 7
max_deleted_percent = 23
max_binary_kb = 77
[size]
max_files = 3
max_lines = 123
`;

/** What an agent must know to keep each rule; one that is missing here does not compile. */
const NEEDED: Readonly<Record<GateRule, readonly string[]>> = {
  check: ["test -e README.md"],
  undeclared: ["`src/health*.js`, `test/**`"],
  protected: ["`deploy/**`"],
  saga: ["below `.saga`"],
  definition: [`\`.saga/stories/${STORY}\``, "Do not remove or weaken"],
  size: ["41 files and 4242 lines", "3 files and 123 lines"],
  deletions: ["7 files", "23 %"],
  binary: ["77 kB"],
  symlink: ["Symbolic links: relative, to a path inside the repository"],
  submodule: ["Submodules: add none"],
  secret: ["no keys, tokens or passwords"],
  test: ["a tester tries"],
  review: ["a reviewer reads"],
};

describe("the first request for a story", () => {
  it("contains every rule of the gate", async () => {
    const { stage, turns } = await listeningStage({
      config: CONFIG,
      tasks: ONE_TASK,
      story: {
        checks: ["test -e README.md"],
        writeFiles: ["src/health*.js", "test/**"],
        needsTesting: true,
        needsReview: true,
      },
      steps: { form: [{ ask: "Which one?" }] },
    });
    await work(stage, 3);
    const words = wordsOf(turns[0] ?? { address: "", model: "", tools: [], messages: [] });
    for (const rule of RULES) {
      for (const part of NEEDED[rule]) expect(words, rule).toContain(part);
    }
  });

  it("contains the tasks' allowed files if the story has none", async () => {
    const files = { writeFiles: ["src/a.js"] };
    const { stage, turns } = await listeningStage({
      tasks: [aTask("form", { ...files, checks: ["test -e src/a.js"] })],
      steps: { form: [{ write: "src/a.js", content: "a\n" }] },
    });
    await work(stage, 0);
    expect(wordsOf(turns[0] as Turn)).toContain("only change files that match `src/a.js`.");
    // What TaskGet answered.
    const words = wordsOf(turns.at(-1) as Turn);
    expect(words).toContain("Allowed files:\n- src/a.js");
    expect(words).toContain("Checks that must pass:\n- test -e src/a.js");
  });
});

it("a fix task names what was refused, the allowed files, and what the failing check printed", async () => {
  const { stage, turns } = await listeningStage({
    config: "[gate]\nfix_rounds = 2\n",
    tasks: ONE_TASK,
    story: {
      writeFiles: ["src/health*.js"],
      checks: ["cat src/health.js >&2; grep fine src/health.js"],
    },
    steps: {
      form: [{ write: "src/handler.js", content: "x\n" }],
      fix: [
        { run: "git rm --quiet --force src/handler.js; mkdir -p src" },
        { write: "src/health.js", content: "still broken\n" },
      ],
      "fix-2": [{ run: "echo fine > src/health.js" }],
    },
  });
  await work(stage, 0);
  const words = turns.map(wordsOf).join("\n");
  expect(words).toContain("Fix what the gate refused");
  expect(words).toMatch(/undeclared: "src\/handler\.js"/);
  expect(words).toMatch(/The rules for it:\n- Allowed files: .* `src\/health\*\.js`\./);
  expect(words).toMatch(/failed \(exit 1\):\nstill broken/);
});

describe("a project's own prompt", () => {
  it("replaces the default, and still contains the rules", async () => {
    const { stage, turns } = await listeningStage({
      config: CONFIG,
      tasks: ONE_TASK,
      story: { writeFiles: ["rehearsal/**"] },
    });
    stage.write(".saga/worker-prompt.md", "Be kind to {{title}}.\n");
    await work(stage, 0);
    const words = wordsOf(turns[0] as Turn);
    expect(words).toMatch(/^Be kind to .+\.\n\nWork on the tasks in the order/m);
    expect(words).not.toContain("You are working on:");
    expect(words).toContain("only change files that match `rehearsal/**`");
  });

  it("with an unknown placeholder starts nothing, and names it", async () => {
    const stage = await newStage({ tasks: ONE_TASK });
    stage.write(".saga/worker-prompt.md", "Hello.\n\n{{tilte}}\n");
    const refused = await saga(stage, "run", STORY);
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain("worker-prompt.md:3");
    expect(refused.stderr).toContain("{{tilte}} is not a placeholder.");
    expect(await stage.store.listRuns(STORY)).toEqual([]);
    expect((await saga(stage, "validate")).exitCode).toBe(1);
  });
});

it("a story that people changed on its target during a conflict is described as it is now", async () => {
  const apart = ["one", "two", "three"];
  const { stage, turns } = await listeningStage({
    tasks: ONE_TASK,
    story: { above: apart, description: "The old aim.", below: apart },
    steps: {
      form: [{ write: "README.md", content: "# Ours\n" }],
      "resolve-conflict": [{ write: "README.md", content: "# Both\n" }],
    },
  });
  stage.git("add", "--all");
  stage.git("commit", "--quiet", "--message=The story");
  await work(stage, 0);
  const file = `.saga/stories/${STORY}/story.json`;
  stage.write(file, { ...stage.json(file), description: "The new aim." });
  stage.write("README.md", "# Theirs\n");
  stage.git("commit", "--quiet", "--all", "--message=People's own");
  stage.git("switch", "--quiet", "--create", "elsewhere");
  const conflict = await saga(stage, "merge", STORY, "--json");
  expect(conflict.json()).toMatchObject({ kind: "conflict" });
  const before = turns.length;
  await work(stage, 0);
  expect(wordsOf(turns[before] as Turn)).toContain("The new aim.");
  expect(wordsOf(turns[before] as Turn)).not.toContain("The old aim.");
  const pull = readFileSync(join(stage.path, ".git/saga/pulls/1.json"), "utf8");
  expect(pull).toContain("The new aim.");
});

it("an agent of the pool gets the rules that it is judged by", async () => {
  const turns: Turn[] = [];
  const play = poolScript(worker());
  const config = `[auto]\ntask_list_id = "chores"\nchecks = ["test -e README.md"]\n[delivery]\nupdate_checkout = true\n${CONFIG}`;
  const pool = await newPoolStage({ config, agent: ({ turn }) => (turns.push(turn), play(turn)) });
  pool.addTask("1");
  const ended = await pool.auto("--once", "--workers", "1").ended;
  expect(ended.exitCode, ended.stderr).toBe(0);
  const words = wordsOf(turns[0] as Turn);
  for (const rule of RULES) {
    // A loose task declares no files, has no story that could be weakened, and has no tester or reviewer.
    if (["undeclared", "definition", "test", "review"].includes(rule)) continue;
    const parts = NEEDED[rule].filter((part) => !part.startsWith("3 files"));
    for (const part of parts) expect(words, rule).toContain(part);
  }
});
