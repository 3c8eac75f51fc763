import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { say, type Call, type AgentStep } from "../../src/rehearsal/scripted-agent.ts";
import { newSession, YES, type SessionAnswer } from "../support/claude-session.ts";
import { saga } from "../support/programs.ts";
import { snapshot } from "../support/project.ts";
import { optionsIn, sagaCommandsIn, skillNamed, skills } from "../support/skills.ts";
import { expectNothingLeft, STORY, type Stage } from "../support/stage.ts";

const NAMES = [
  "dashboard",
  "execute-story",
  "init",
  "plan",
  "resolve-blocker",
  "review-story",
  "status",
];

const FIELDS = [
  "name",
  "description",
  "argument-hint",
  "allowed-tools",
  "disallowed-tools",
  "disable-model-invocation",
];

const commandsOf = ({ calls }: SessionAnswer): unknown[] =>
  calls.map(({ input }) => (input as { command?: string }).command);

const answerTo = ({ calls }: SessionAnswer, words: string): Call => {
  const found = calls.findLast(({ input }) => JSON.stringify(input).includes(words));
  if (!found) throw new Error(`It was not called: ${words}`);
  return found;
};

const jsonOf = (session: SessionAnswer, words: string): Record<string, unknown> => {
  const { answer } = answerTo(session, words);
  try {
    return JSON.parse(answer.replace(/^Exit code \d+\n/, "")) as Record<string, unknown>;
  } catch {
    throw new Error(`${words} answered: ${answer}`);
  }
};

describe("what the skills name", () => {
  /** What a later version brings: a skill that names it looks first whether it is there. */
  const LATER: Readonly<Record<string, string>> = {
    dashboard: "help dashboard",
    "init --claude": "init --help",
    "--claude": "init --help",
  };
  const comesLater = (code: string, named: readonly string[]): boolean =>
    Object.entries(LATER).some(
      ([later, look]) => `${code} `.startsWith(`${later} `) && named.includes(look),
    );
  const helps = new Map<string, string>();
  const helpOf = async (command: string): Promise<string> => {
    const help = helps.get(command) ?? (await saga(".", [command, "--help"])).stdout;
    helps.set(command, help);
    return help;
  };
  const lists = (help: string, option: string): boolean =>
    new RegExp(`^ +(?:-\\w, )?${option}\\b|^ +${option}, `, "m").test(help);

  it.for(skills)("exists, in $name: every command with its options", async (skill) => {
    const all = sagaCommandsIn(skill);
    const named = all.filter((code) => !code.startsWith("help ") && !comesLater(code, all));
    expect(named.length).toBeGreaterThan(2);
    const commands = new Map<string, string>();
    for (const code of named) {
      const [command = "", ...words] = code.split(/\s+/);
      const help = await helpOf(command);
      commands.set(command, help);
      expect(help, code).toContain(`Usage: saga ${command}`);
      const unknown = words.filter((word) => /^--?[a-z]/.test(word) && !lists(help, word));
      expect(unknown, code).toEqual([]);
    }
    const alone = optionsIn(skill).filter((option) => !comesLater(option, all));
    for (const option of alone) {
      expect(
        [...commands.values()].some((help) => lists(help, option)),
        option,
      ).toBe(true);
    }
  });

  it("includes only existing skills", () => {
    for (const { name, body } of skills) {
      const mentioned = [...body.matchAll(/\/saga:(?<skill>[a-z-]+)/g)].map(
        ({ groups }) => groups?.["skill"],
      );
      for (const one of mentioned) expect(NAMES, name).toContain(one);
    }
  });

  // Claude Code itself ignores a misspelt field.
  it("uses only fields that Claude Code knows", () => {
    expect(skills.map(({ name }) => name).toSorted()).toEqual(NAMES);
    for (const { name, head } of skills) {
      const fields = [...head.matchAll(/^(?<field>\S+):/gm)].map(({ groups }) => groups?.["field"]);
      expect(FIELDS, name).toEqual(expect.arrayContaining(fields));
      expect(head).toMatch(
        new RegExp(`^name: ${name}\ndescription: .* (?:Use when|For the person)`),
      );
    }
  });

  it("is the same with npx, and each says what to do when saga is missing", () => {
    for (const { name, head, body } of skills) {
      expect(body, name).toContain("If it is not found, write `npx --no-install saga`");
      expect(body, name).toContain("install the package `@saga-run/saga`");
      const rules = [...head.matchAll(/Bash\((?<rule>saga .*)\)/g)].map((one) => one[1]);
      for (const rule of rules) expect(head, name).toContain(`Bash(npx --no-install ${rule})`);
      expect(`${head}${body}`.split("\n").length, name).toBeLessThan(120);
    }
  });
});

it("offers every skill in a session, and lets a model start all but the one that spends money", async () => {
  const { ask, stage } = await newSession();
  const calls: AgentStep[] = [
    { tool: "Skill", input: { skill: "saga:execute-story", args: STORY } },
    { tool: "Skill", input: { skill: "saga:status" } },
  ];
  let turns = 0;
  const session = await ask("How does it stand?", {
    allowed: ["Skill"],
    script: () => say(calls[turns++] ?? "So it stands."),
  });
  const offered = (session.init["skills"] as string[]).filter((name) => name.startsWith("saga:"));
  expect(offered.toSorted()).toEqual(NAMES.map((name) => `saga:${name}`));
  expect(session.init["plugin_errors"] ?? []).toEqual([]);
  expect(session.calls.map(({ isError }) => isError)).toEqual([true, false]);
  expect(session.calls[0]?.answer).toContain("disable-model-invocation");
  expect(await stage.store.listRuns(STORY)).toEqual([]);
});

it("init: checks the machine and sets up the project", async () => {
  const { ask, stage } = await newSession();
  const cwd = join(stage.home, "fresh");
  mkdirSync(cwd);
  execFileSync("git", ["init", "--quiet"], { cwd, env: stage.env });
  const session = await ask("/saga:init", { cwd });
  expect(commandsOf(session)).toEqual([
    "saga doctor --json",
    "saga init --json",
    "saga init --help",
  ]);
  expect(session.denied).toEqual([]);
  expect(jsonOf(session, "doctor")).toHaveProperty("diagnoses");
  expect(jsonOf(session, "init --json")).toMatchObject({ isGitRepository: true });
  expect(readdirSync(join(cwd, ".saga"))).toEqual(
    expect.arrayContaining([".gitignore", "config.toml"]),
  );
});

it("plan: writes its plan outside the project, asks, and only then stages it", async () => {
  const { ask, stage, temporary } = await newSession();
  const plan = join(temporary, "plan-sign-in.md");
  const example = /^```json\n(?<json>.*?)\n```$/ms.exec(skillNamed("plan").body)?.groups?.["json"];
  const content = `# Sign in\n\nWhy { this.\n\nSTAGING_PAYLOAD\n\n\`\`\`json\n${example}\n\`\`\`\n`;
  const write: AgentStep = { tool: "Write", input: { file_path: plan, content } };
  const hasty: AgentStep = { tool: "Bash", input: { command: `saga stage --json "${plan}"` } };
  const play = {
    words: { plan },
    besides: { "Write the working plan": () => [write], Ask: () => [hasty] },
  };
  const before = snapshot(stage.path);

  const first = await ask("/saga:plan let people sign in", { play, allowed: ["Write"] });
  expect(first.skill).toContain("The goal, as the person put it: let people sign in\n");
  expect(answerTo(first, "printenv").answer).toBe(temporary);
  expect(answerTo(first, "saga list").answer).toContain("Saga plan");
  expect(jsonOf(first, "--dry-run")).toMatchObject({ isDryRun: true });
  // Who does not ask is stopped by Claude Code, which asks instead.
  expect(first.denied).toEqual([`saga stage --json "${plan}"`]);
  expect(first.result).toBe("Shall I?");
  expect(snapshot(stage.path)).toBe(before);
  expect(existsSync(plan)).toBe(true);

  // What a skill may do without asking ends with the person's next message.
  const allowed = [`Bash(saga stage --json "${plan}")`];
  const second = await ask(YES, { play, allowed, isNext: true });
  expect(second.denied).toEqual([]);
  expect(stage.json(".saga/epics/sign-in/epic.json")).toMatchObject({
    children: [{ id: "sign-in--users" }],
  });
  expect(existsSync(join(stage.path, ".saga/stories/sign-in--users/add-table.json"))).toBe(true);
});

it("execute-story: starts the worker, which finishes the story", async () => {
  const { ask, stage } = await newSession();
  const session = await ask(`/saga:execute-story ${STORY}`, { play: { words: { story: STORY } } });
  expect(session.skill).toContain(`The person named: ${STORY}\n`);
  expect(session.denied).toEqual([]);
  const started = jsonOf(session, "saga run");
  expect(started).toMatchObject({ story: STORY });
  expect(started["session"]).toMatch(new RegExp(`^saga-story-${STORY}-\\d+$`));
  const followed = await stage.run("logs", STORY, "-f");
  expect(followed.stdout).toContain("All tasks are completed.");
  expect(stage.commits()).toEqual(["form", "page"]);
  await untilOver(stage);
});

it("execute-story: passes the reason on when a story cannot be started", async () => {
  const { ask, stage } = await newSession();
  await stage.run("journal", STORY, "--blocker", "Which colour?");
  const session = await ask("/saga:execute-story", { play: { words: { story: STORY } } });
  const { message, hint } = jsonOf(session, "saga run")["error"] as Record<string, string>;
  expect(message).toContain("Which colour?");
  expect(hint).toContain(`saga resolve ${STORY}`);
  expect(stage.sessions()).toEqual([]);
});

it("review-story: reads the story and its diff, and can change nothing", async () => {
  const { ask, stage } = await newSession();
  expect((await stage.work()).exitCode).toBe(0);
  const before = snapshot(stage.path);
  const readme = join(stage.path, "README.md");
  const meddle = (): AgentStep[] => [
    { tool: "Read", input: { file_path: readme } },
    { tool: "Edit", input: { file_path: readme, old_string: "project", new_string: "mess" } },
  ];
  const play = {
    words: { story: STORY, base: "main", branch: `story/${STORY}` },
    besides: { Report: meddle },
  };
  const session = await ask(`/saga:review-story ${STORY}`, { play, allowed: ["Edit"] });
  expect(session.skill).toContain(`The person named: ${STORY}\n`);
  expect(jsonOf(session, "saga show")).toMatchObject({
    state: "review",
    branch: play.words.branch,
    pullRequest: { base: play.words.base },
  });
  expect(answerTo(session, "git log").answer).toContain("Do page");
  expect(answerTo(session, "git diff main").answer).toContain("+The rehearsal of form was here.");
  expect(session.calls.filter(({ isError }) => isError)).toMatchObject([
    { name: "Edit", answer: expect.stringContaining("denied") as unknown },
  ]);
  expect(snapshot(stage.path)).toBe(before);
});

it("resolve-blocker: asks the person, and records their exact words", async () => {
  const { ask, stage } = await newSession();
  await stage.run("journal", STORY, "--blocker", "Which colour?", "--body", "Red or blue.");
  const answer = 'Blue, "not" $(touch pwned) or `touch pwned`.\nIt is $HOME to us.';
  const play = { words: { story: STORY, blocker: "b1", answer } };
  const first = await ask(`/saga:resolve-blocker ${STORY}`, { play });
  expect(first.skill).toContain(`The person said: ${STORY}\n`);
  expect(first.denied).toEqual([]);
  expect(answerTo(first, "saga journal").answer).toContain("Red or blue.");
  expect(first.result).toBe("Shall I?");
  expect((await stage.store.readJournal(STORY)).open).toHaveLength(1);

  const allowed = ["Bash(saga resolve:*)"];
  const second = await ask(YES, { play, allowed, isNext: true });
  expect(jsonOf(second, "saga resolve")).toMatchObject({ story: STORY, blocker: "b1", open: [] });
  const { entries, open } = await stage.store.readJournal(STORY);
  const { title, body } = entries.at(-1) ?? {};
  expect([title, body].join("\n")).toBe(answer);
  expect(open).toEqual([]);
  expect(existsSync(join(stage.path, "pwned"))).toBe(false);
});

it("status: shows what needs the person, without a permission prompt", async () => {
  const { ask, stage } = await newSession();
  await stage.run("journal", STORY, "--blocker", "Which colour?");
  const session = await ask("/saga:status");
  expect(session.denied).toEqual([]);
  expect(jsonOf(session, "saga status")).toMatchObject({
    needsYou: [{ story: STORY, state: "blocked", questions: [{ title: "Which colour?" }] }],
  });
  expect(jsonOf(session, "saga list")).toMatchObject({ stories: [{ id: STORY }] });
});

it("dashboard: checks whether this version has one, and shows text if not", async () => {
  const { ask, stage } = await newSession();
  const hasDashboard = (await stage.run("help", "dashboard")).exitCode === 0;
  const sections = hasDashboard
    ? /^Check for the dashboard/
    : /^(?:Check for the dashboard|Without a dashboard)/;
  const session = await ask("/saga:dashboard", { play: { sections } });
  expect(session.denied).toEqual([]);
  expect(answerTo(session, "help dashboard").isError).toBe(!hasDashboard);
  if (hasDashboard) return;
  expect(answerTo(session, "saga list").answer).toContain(STORY);
  expect(answerTo(session, "saga status").answer).toContain("Nothing is running.");
});

/** The session goes when its worker has ended. */
async function untilOver(stage: Stage): Promise<void> {
  while (stage.sessions().length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  await expectNothingLeft(stage);
}
