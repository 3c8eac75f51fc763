// The overseer's repair runs, with the real Claude Code on a scripted model.

import { mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { claudeAgent } from "../../src/claude/agent.ts";
import { findClaude } from "../../src/claude/find.ts";
import { findProblems } from "../../src/pool/list/find-problems.ts";
import { repair, type RepairResult } from "../../src/pool/overseer/repair-run.ts";
import type { Turn } from "../../src/rehearsal/model-server.ts";
import {
  conversation,
  say,
  type Call,
  type AgentStep,
} from "../../src/rehearsal/scripted-agent.ts";
import type { PoolProblem } from "../../src/tasks/problem.ts";
import { newStage, type Stage } from "../support/stage.ts";

const aTask = (id: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  id,
  subject: `Task ${id}`,
  description: "What to do.",
  status: "pending",
  blocks: [],
  blockedBy: [],
  ...more,
});

interface World {
  readonly stage: Stage;
  readonly list: string;
  readonly contextFile: string;
  readonly write: (name: string, content: unknown) => string;
  readonly read: (name: string) => Record<string, unknown>;
  readonly prompt: () => string;
  readonly calls: () => readonly Call[];
  readonly tools: () => readonly string[];
  readonly problems: () => Promise<PoolProblem[]>;
  readonly repair: (more?: { readonly minutes?: number }) => Promise<RepairResult>;
}

/** The model does these steps, one after the other, and then says that it is done. */
async function newWorld(stepsOf: (world: World) => readonly AgentStep[]): Promise<World> {
  let last: Turn | undefined;
  const stage = await newStage({
    script: (turn) => {
      last = turn;
      return say(stepsOf(world)[conversation(turn).calls.length] ?? "All is repaired.");
    },
  });
  const list = join(realpathSync(stage.home), "claude/tasks/chores");
  const contextFile = join(realpathSync(stage.path), ".claude/saga_task_context.toml");
  mkdirSync(list, { recursive: true });
  mkdirSync(join(stage.path, ".claude"));
  const problems = (): Promise<PoolProblem[]> => findProblems(list, contextFile);
  const world: World = {
    stage,
    list,
    contextFile,
    problems,
    write(name, content) {
      const file = join(list, name);
      writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
      return file;
    },
    read: (name) => JSON.parse(readFileSync(join(list, name), "utf8")) as Record<string, unknown>,
    prompt: () =>
      last?.messages
        .flatMap(({ content }) => content)
        .flatMap((content) => (content.type === "text" ? [content.text] : []))
        .join("\n") ?? "",
    calls: () => (last ? conversation(last).calls : []),
    // The placeholder stands for tools of servers; there are none.
    tools: () => (last?.tools ?? []).filter((tool) => tool !== "DeferredToolPlaceholder"),
    async repair({ minutes = 1 } = {}) {
      const settings = await stage.store.settings();
      const [first, ...more] = await problems();
      if (first === undefined) throw new Error("Nothing is wrong.");
      return repair(
        {
          place: { list, contextFile },
          folder: join(stage.path, ".saga/auto/repairs"),
          store: stage.store,
          env: stage.env,
          agent: claudeAgent(findClaude(undefined, stage.env, stage.path)?.path ?? ""),
          settings: { ...settings, auto: { ...settings.auto, repairMinutes: minutes } },
          findProblems: problems,
          now: Date.now,
          stop: new AbortController().signal,
        },
        { problems: [first, ...more], before: undefined },
      );
    },
  };
  return world;
}

const writes = (file: string, content: unknown): AgentStep[] => [
  { tool: "Read", input: { file_path: file } },
  {
    tool: "Write",
    input: {
      file_path: file,
      content: typeof content === "string" ? content : JSON.stringify(content),
    },
  },
];

const record = ({ stage }: World): Record<string, unknown> => {
  const folder = join(stage.path, ".saga/auto/repairs");
  const [id = ""] = readdirSync(folder);
  return JSON.parse(readFileSync(join(folder, id, "repair.json"), "utf8")) as never;
};

describe("a repair run repairs", () => {
  it("malformed JSON, with the exact problem in its prompt, and keeps the content", async () => {
    const world = await newWorld(({ list }) => writes(join(list, "2.json"), aTask("2")));
    world.write("1.json", aTask("1"));
    const file = world.write("2.json", '{"id":"2", broken');
    const repaired = await world.repair();
    expect(repaired.kind).toBe("repaired");
    expect(world.read("2.json")).toEqual(aTask("2"));
    expect(world.prompt()).toContain(`Task: 2\nFile: ${file}\nFailure: invalid-json\nError: `);
    expect(world.tools().toSorted()).toEqual(["Edit", "Glob", "Grep", "Read", "Write"]);
    const copy = "copy" in repaired ? repaired.copy : "";
    expect(readFileSync(join(copy, "list/2.json"), "utf8")).toBe('{"id":"2", broken');
    expect(readdirSync(join(copy, "list"))).toEqual(["1.json", "2.json"]);
  });

  it("a missing field", async () => {
    const world = await newWorld(({ list }) => [
      { tool: "Read", input: { file_path: join(list, "1.json") } },
      {
        tool: "Edit",
        input: {
          file_path: join(list, "1.json"),
          old_string: '"id":"1",',
          new_string: '"id":"1","subject":"Again",',
        },
      },
    ]);
    const { subject: _, ...rest } = aTask("1", { extra: { kept: true } });
    world.write("1.json", rest);
    expect((await world.repair()).kind).toBe("repaired");
    expect(world.prompt()).toContain("Failure: invalid-task");
    expect(world.read("1.json")).toMatchObject({ subject: "Again", extra: { kept: true } });
  });

  it("a cycle of tasks", async () => {
    // Both sides say it, and both are edited.
    const world = await newWorld(({ list }) => [
      ...writes(join(list, "1.json"), aTask("1", { blocks: ["2"] })),
      ...writes(join(list, "2.json"), aTask("2", { blockedBy: ["1"] })),
    ]);
    world.write("1.json", aTask("1", { blockedBy: ["2"], blocks: ["2"] }));
    world.write("2.json", aTask("2", { blockedBy: ["1"], blocks: ["1"] }));
    expect((await world.repair()).kind).toBe("repaired");
    expect(world.prompt()).toMatch(/Failure: cycle\nError: .*1 → 2 → 1|2 → 1 → 2/);
  });

  it("a missing task, from version control if possible", async () => {
    const world = await newWorld(({ list }) => [
      {
        tool: "Write",
        input: {
          file_path: join(list, "9.json"),
          content: JSON.stringify(aTask("9", { status: "completed" })),
        },
      },
    ]);
    const committed = aTask("9", { status: "completed", subject: "As it was" });
    world.write("9.json", committed);
    world.write("1.json", aTask("1", { blockedBy: ["9"] }));
    const git = (...args: string[]): string => world.stage.git("-C", world.list, ...args);
    git("init", "--quiet");
    git("add", "--all");
    git("commit", "--quiet", "--message=Tasks");
    git("rm", "--quiet", "9.json");
    expect((await world.repair()).kind).toBe("repaired");
    expect(world.prompt()).toContain("Failure: missing-dependency");
    expect(world.prompt()).toContain(JSON.stringify(committed));
  });

  it("the context file", async () => {
    const world = await newWorld(({ contextFile }) =>
      writes(contextFile, '[ui]\nprologue = "Mind the colours."\n'),
    );
    writeFileSync(world.contextFile, '[ui]\nprologue = "Mind the colours.\n');
    const repaired = await world.repair();
    expect(repaired.kind).toBe("repaired");
    expect(world.prompt()).toContain(`File: ${world.contextFile}\nFailure: context`);
    const copy = "copy" in repaired ? repaired.copy : "";
    expect(readFileSync(join(copy, "context.toml"), "utf8")).toContain("Mind the colours.\n");
  });
});

describe("a repair run is not trusted", () => {
  it("when it claims a repair that did not happen", async () => {
    const world = await newWorld(() => []);
    world.write("1.json", "{");
    expect(await world.repair()).toMatchObject({
      kind: "not-repaired",
      why: expect.stringContaining("invalid-json") as string,
    });
  });

  it("when it makes things worse, and the earlier content is kept", async () => {
    const world = await newWorld(({ list }) => [
      ...writes(join(list, "1.json"), aTask("1", { blockedBy: ["77"] })),
      ...writes(join(list, "2.json"), "gone"),
    ]);
    world.write("1.json", "{");
    world.write("2.json", aTask("2"));
    const repaired = await world.repair();
    expect(repaired).toMatchObject({ kind: "not-repaired" });
    expect("why" in repaired ? repaired.why : "").toMatch(/invalid-json.*missing-dependency/s);
    const copy = "copy" in repaired ? repaired.copy : "";
    expect(JSON.parse(readFileSync(join(copy, "list/2.json"), "utf8"))).toEqual(aTask("2"));
  });

  it("when it takes too long", async () => {
    const world = await newWorld(({ list }) => [
      { tool: "Glob", input: { pattern: "*.json", path: list } },
    ]);
    world.write("1.json", "{");
    expect(await world.repair({ minutes: 0.001 })).toMatchObject({
      kind: "not-repaired",
      why: expect.stringContaining("too long") as string,
    });
  });
});

describe("a repair run that does something else", () => {
  it("completes no task: only merged work does", async () => {
    const world = await newWorld(({ list }) =>
      writes(join(list, "1.json"), aTask("1", { status: "completed" })),
    );
    world.write("1.json", aTask("1", { blockedBy: ["9"] }));
    expect((await world.repair()).kind).toBe("not-repaired");
    expect(world.read("1.json")["status"]).toBe("pending");
  });

  it("is refused, and nothing else changes", async () => {
    const world = await newWorld(({ list, stage }) => [
      { tool: "Write", input: { file_path: join(stage.path, "README.md"), content: "mine" } },
      { tool: "Write", input: { file_path: join(list, ".claims/1.1"), content: "mine" } },
      {
        tool: "Write",
        input: { file_path: join(stage.path, ".claude/settings.json"), content: "{}" },
      },
      { tool: "Bash", input: { command: `rm -rf ${stage.path}` } },
    ]);
    world.write("1.json", "{");
    expect((await world.repair()).kind).toBe("not-repaired");
    expect(world.stage.read("README.md")).toBe("# A project\n");
    expect(readdirSync(world.list)).toEqual(["1.json"]);
    expect(readdirSync(join(world.stage.path, ".claude"))).toEqual([]);
    const answers = world.calls().map(({ isError }) => isError);
    expect(answers).toEqual([true, true, true, true]);
    const { calls } = record(world) as { calls: { tool: string; refused?: string }[] };
    expect(calls.filter(({ tool }) => tool === "Write")).toHaveLength(3);
    for (const { refused } of calls) expect(refused).toContain("only repairs the task files");
  });
});
