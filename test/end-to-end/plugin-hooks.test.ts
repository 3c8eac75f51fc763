import { DEFAULT_PORTS } from "../../src/story/settings/defaults.ts";
import { cpSync, existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import type { AgentStep } from "../../src/rehearsal/scripted-agent.ts";
import {
  newPluginStage,
  pluginFolder,
  run,
  type PluginStage,
  type Session,
} from "../support/plugin-session.ts";
import { root } from "../support/programs.ts";
import { aTask } from "../support/project.ts";

const PORTS = {
  SAGA_PORT: String(DEFAULT_PORTS.firstPort),
  SAGA_PORT_COUNT: String(DEFAULT_PORTS.ports),
};

const bash = (command: string): AgentStep => ({
  tool: "Bash",
  input: { command, description: "Look" },
});
const write = (path: string): AgentStep => ({
  tool: "Write",
  input: { file_path: path, content: "" },
});
const ENV = bash("env -0 | grep -z ^SAGA_ | sort -z | tr '\\0' '|'");

/** Claude's own: the first task that it makes itself is number 1. */
const EVERY_HOOK: readonly AgentStep[][] = [
  [write("a.txt")],
  [{ tool: "TaskCreate", input: { subject: "x", description: "x" } }],
  [{ tool: "TaskUpdate", input: { taskId: "1", status: "completed" } }],
];

const ALL = [
  "SessionStart:startup",
  "PreToolUse:Write",
  "PreToolUse:TaskUpdate",
  "TaskCompleted",
  "PostToolUse:TaskUpdate",
];

const namesOf = ({ hooks }: Session): string[] => hooks.map(({ name }) => name);
const outputOf = ({ hooks }: Session): string[] =>
  hooks.map(({ stdout, stderr }) => stdout + stderr).filter((text) => text !== "");

/** What the shells of a session find. */
function variables({ answers }: Session, at = 0): Record<string, string> {
  const text = answers[at]?.text ?? "";
  const pairs = text.split("|").filter((pair) => pair.startsWith("SAGA_"));
  return Object.fromEntries(
    pairs.map((pair) => {
      const cut = pair.indexOf("=");
      return [pair.slice(0, cut), pair.slice(cut + 1)];
    }),
  );
}

it("is valid, and installs from its own marketplace, offline, as a person would", async () => {
  const stage = await newPluginStage();
  const market = join(stage.home, "market");
  for (const folder of [".claude-plugin", "plugin"]) {
    cpSync(join(root, folder), join(market, folder), { recursive: true });
  }
  const claude = async (...words: string[]): Promise<string> => {
    const ended = await run(stage.claude, words, { cwd: stage.path, env: stage.env });
    expect(ended, words.join(" ")).toMatchObject({ exitCode: 0, stderr: "" });
    return ended.stdout;
  };
  expect(await claude("plugin", "validate", "--strict", root)).toContain("Validation passed");
  expect(await claude("plugin", "validate", "--strict", pluginFolder)).not.toContain("rror");
  await claude("plugin", "marketplace", "add", market);
  await claude("plugin", "install", "saga@saga-run", "--scope", "project");

  const session = await stage.session({ plugin: "", turns: EVERY_HOOK });
  expect(session.init["plugins"]).toContainEqual(
    expect.objectContaining({ name: "saga", source: "saga@saga-run" }),
  );
  expect(session.init["plugin_errors"]).toBeUndefined();
  expect(namesOf(session)).toEqual(ALL);
  expect(session.hooks.map(({ exitCode }) => exitCode)).toEqual(ALL.map(() => 0));
  expect(outputOf(session)).toEqual([expect.stringContaining("uses Saga")]);

  // What it wrote into the project's settings comes along into every worktree.
  stage.git("add", ".claude");
  stage.git("commit", "--quiet", "--message=Use Saga");
  const cwd = stage.addWorktree("login", { id: "login" });
  expect((await stage.session({ plugin: "", cwd })).received).toContain(
    "worktree of the Saga story",
  );
});

it("recognises every kind of worktree, from any folder in it, and the main checkout", async () => {
  const stage = await newPluginStage();
  const places = [
    { place: "", storyId: undefined },
    { place: "login", storyId: "login" },
    { place: "stories/second", storyId: "second" },
    { place: "big/third", storyId: "big--third" },
  ];
  for (const { place, storyId } of places) {
    const checkout = storyId ? stage.addWorktree(place, { id: storyId }) : stage.path;
    const cwd = storyId === "second" ? join(checkout, "docs/deep") : checkout;
    mkdirSync(cwd, { recursive: true });
    const outside = join(stage.path, "by-a-session.txt");
    const session = await stage.session({
      cwd,
      turns: [...EVERY_HOOK, [ENV], [write(outside)]],
    });
    const fired = ["PreToolUse:Bash", "PreToolUse:Write"];
    expect(namesOf(session), place).toEqual([...ALL, ...fired]);
    expect(session.received).toContain(
      storyId ? `worktree of the Saga story ${storyId}.` : "uses Saga",
    );
    expect(variables(session, 3)).toEqual({
      SAGA_PROJECT_DIR: checkout,
      SAGA_PLUGIN_ROOT: pluginFolder,
      SAGA_SESSION_DIR: stage.env["SAGA_SESSION_DIR"],
      SAGA_TASK_CONTEXT: storyId ? "story-worktree" : "main",
      ...(storyId && { SAGA_STORY_ID: storyId, SAGA_STORY_PATH: storyId, ...PORTS }),
    });
    const last = session.answers.at(-1);
    expect(last?.isError, last?.text).toBe(storyId !== undefined);
    expect(existsSync(join(cwd, "a.txt"))).toBe(true);
  }
});

it("says nothing in a project that is not Saga's", async () => {
  const stage = await newPluginStage();
  const cwd = join(stage.home, "foreign");
  mkdirSync(cwd);
  const turns = [...EVERY_HOOK, [ENV]];
  const session = await stage.session({ cwd, turns });
  expect(namesOf(session)).toEqual([...ALL, "PreToolUse:Bash"]);
  expect(session.hooks.every(({ exitCode }) => exitCode === 0)).toBe(true);
  expect(outputOf(session)).toEqual([]);
  expect(session.received).not.toContain("Saga");
  expect(Object.keys(variables(session, 3))).toEqual(["SAGA_SESSION_DIR"]);
});

it("works for every way a session can start, in a folder of any name", async () => {
  const stage = await newPluginStage(`it's "my" $(touch pwned)\n\`project\` é計 \\ $HOME`);
  const cwd = stage.addWorktree("login", { id: "login" });
  const first = await stage.session({ cwd, turns: [[ENV]] });
  const id = String(first.init["session_id"]);
  const going = async (prompt: string, ...steps: AgentStep[]): Promise<Session> =>
    stage.session({ cwd, prompt, turns: [steps], words: ["--resume", id] });
  const again = await going("And now?", ENV);
  const compacted = await going("/compact");
  const after = await going("Where was I?", ENV);
  const cleared = await going("/clear");

  expect(namesOf(first)[0]).toBe("SessionStart:startup");
  expect(namesOf(again)[0]).toBe("SessionStart:resume");
  expect(namesOf(compacted)).toContain("SessionStart:compact");
  expect(namesOf(cleared)).toContain("SessionStart:clear");
  for (const { hooks } of [compacted, cleared]) {
    expect(hooks.at(-1)?.stdout).toContain("worktree of the Saga story login");
    expect(hooks.at(-1)?.exitCode).toBe(0);
  }
  for (const session of [first, again, after]) {
    expect(session.received).toContain("> Title of login");
    expect(variables(session)).toEqual({
      SAGA_PROJECT_DIR: cwd,
      SAGA_PLUGIN_ROOT: pluginFolder,
      SAGA_SESSION_DIR: stage.env["SAGA_SESSION_DIR"],
      SAGA_TASK_CONTEXT: "story-worktree",
      SAGA_STORY_ID: "login",
      SAGA_STORY_PATH: "login",
      ...PORTS,
    });
  }
  const places = [cwd, stage.path, dirname(stage.path), stage.home];
  expect(places.filter((place) => existsSync(join(place, "pwned")))).toEqual([]);
});

it("prefers the location to variables that another session left", async () => {
  const stage = await newPluginStage();
  const cwd = stage.addWorktree("login", { id: "login" });
  const other = stage.addWorktree("other", { id: "other" });
  const env = { SAGA_STORY_ID: "other", SAGA_STORY_PATH: "other", SAGA_PROJECT_DIR: other };
  const turns = [[ENV], [write(join(other, "x"))], [write(".saga/stories/login/x.md")]];
  const session = await stage.session({ cwd, env, turns });
  expect(session.received).toContain("Saga story login");
  expect(variables(session)).toMatchObject({ SAGA_STORY_ID: "login", SAGA_PROJECT_DIR: cwd });
  expect(session.answers.map(({ isError }) => isError)).toEqual([false, true, false]);
  // Where the folder names no story, a missing one is reported, and its variable is removed.
  const gone = await stage.session({ env: { SAGA_STORY_ID: "NOT an id" }, turns: [[ENV]] });
  expect(gone.received).toContain("uses Saga");
  expect(variables(gone)).not.toHaveProperty("SAGA_STORY_ID");
});

it("takes the story from the older variables in a plain checkout", async () => {
  const stage = await newPluginStage();
  const env = { SAGA_EPIC_SLUG: "big", SAGA_STORY_SLUG: "third" };
  const lost = await stage.session({ env });
  expect(lost.received).toContain("big--third, whose files are missing");
  stage.write(".saga/stories/big--third/story.json", { id: "big--third", title: "Third" });
  stage.write(".saga/stories/big--third/form.json", aTask("form"));
  const turns = [
    [write(".saga/epics/big/stories/third/notes.md"), write(".saga/stories/big--third/x.md")],
    [write("src/x.ts"), write(".saga/epics/big/stories/fourth/notes.md")],
    [write(".saga/stories/add-login/x.md"), write(".saga/worktrees/x/y.md"), ENV],
  ];
  const session = await stage.session({ env, turns });
  expect(session.received).toContain(
    "started for the Saga story (its environment says so) big--third",
  );
  expect(session.received).toContain("- form (pending): Do form");
  const refused = [false, false, false, true, true, true, false];
  expect(session.answers.map(({ isError }) => isError)).toEqual(refused);
  expect(session.answers[3]?.text).toContain(
    "in `.saga` this story may only change its own folder",
  );
  expect(variables(session, 6)).toMatchObject({
    SAGA_STORY_ID: "big--third",
    SAGA_TASK_CONTEXT: "main",
    SAGA_PROJECT_DIR: stage.path,
  });
});

it("reports unfinished stories, and asks what to do", async () => {
  const stage = await newPluginStage();
  const begun = [aTask("form", { status: "in_progress" })];
  stage.addWorktree("dirty", { id: "dirty", more: { status: "in_progress" }, tasks: begun });
  commitAll(stage, stage.addWorktree("clean", { id: "clean", tasks: begun }));
  await stage.lease("clean", "dead");
  stage.addWorktree("untouched", { id: "untouched" });
  const busy = stage.addWorktree("busy", { id: "busy", tasks: begun });
  await stage.lease("busy", "alive");

  const { received } = await stage.session({});
  expect(received).toContain(
    'Story dirty is unfinished and has no worker. Its worktree at ".saga/worktrees/dirty" has uncommitted changes. Resume (`saga resume dirty`) or discard',
  );
  expect(received).toContain(
    'Story clean was running when its worker was killed. Its worktree at ".saga/worktrees/clean" is clean.',
  );
  expect(received).toContain("Do not resume or discard anything yourself");
  expect(received).not.toContain("untouched");
  expect(received).not.toContain("Story busy");

  const inside = await stage.session({ cwd: busy });
  expect(inside.received).toContain("A Saga worker is running on this story now.");
  expect(inside.received).toContain("Story dirty is unfinished and has no worker");
});

function commitAll(stage: PluginStage, worktree: string): void {
  stage.git("-C", worktree, "add", "--all");
  stage.git("-C", worktree, "commit", "--quiet", "--message=All");
}
