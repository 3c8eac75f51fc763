// The demo: everything is real (tmux, worktrees, Claude Code, hooks, checks, commits, pull requests) except the model.
// Stories are started as soon as they are ready, and merged as a person would.

import type { Context } from "../context.ts";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { SagaError } from "../errors.ts";
import { openGit } from "../machine/programs/git.ts";
import { run } from "../machine/processes/run.ts";
import { openStore } from "../store/file-store.ts";
import type { Store } from "../store/store.ts";
import type { RunEvent } from "../story/state/run.ts";
import { demoFiles, demoPlan, demoSteps } from "./demo-plan.ts";
import { startModel, type Model } from "./model-server.ts";
import { scriptedAgent } from "./scripted-agent.ts";
import { rehearsalEnv } from "./stage-home.ts";
import { stepsOfTask } from "./steps.ts";

export interface DemoStage extends Pick<Context, "env" | "stop"> {
  /** An empty folder for the demo. */
  readonly folder: string;
  /** The command that starts Saga. */
  readonly program: readonly string[];
  readonly printLine: (text: string) => void;
  readonly show: (storyId: string, event: RunEvent) => void;
}

export interface DemoStory {
  readonly id: string;
  readonly tasks: number;
  readonly pullRequest: string;
  readonly seconds: number;
  readonly costUsd: number;
}

export interface DemoResult {
  readonly project: string;
  readonly stories: readonly DemoStory[];
  /** The history of the default branch, as git draws it. */
  readonly history: string;
}

const LOOK_EVERY_MS = 100;
const STORY_LIMIT_MS = 120_000;
const COMMAND_TIMEOUT_MS = 60_000;

export async function playDemo(stage: DemoStage): Promise<DemoResult> {
  const project = join(stage.folder, "shop");
  const model = await startModel((turn) =>
    scriptedAgent((taskId) => stepsOfTask(taskId, demoSteps(turn.address, taskId)))(turn),
  );
  const play = newPlay(stage, project, model);
  try {
    await play.setScene();
    await play.runStories();
    return await play.result();
  } finally {
    await play.saga(["stop", "--all"]).catch(() => undefined);
    await model.close();
  }
}

function newPlay(stage: DemoStage, project: string, model: Model) {
  const { folder, printLine, stop } = stage;
  const git = openGit(project, stage.env);
  const offsets = new Map<string, number>();
  let store: Store | undefined;
  const opened = (): Store => (store ??= openStore(project));

  /** Runs a command of Saga as a person would. */
  async function saga(
    words: readonly string[],
    { input, address = "" }: { input?: string; address?: string } = {},
  ): Promise<void> {
    const [node = "", ...file] = stage.program;
    const result = await run(node, [...file, ...words], {
      cwd: project,
      env: rehearsalEnv(stage.env, { folder, modelUrl: model.url(address) }),
      input,
      timeoutMs: COMMAND_TIMEOUT_MS,
    });
    if (result.kind === "exited" && result.exitCode === 0) return;
    const reason = result.kind === "missing" ? "Node was not found" : result.stderr.trim();
    throw new SagaError("program-failed", `saga ${words[0]} failed: ${reason}`);
  }

  async function setScene(): Promise<void> {
    mkdirSync(project);
    for (const [path, content] of Object.entries(demoFiles)) {
      mkdirSync(dirname(join(project, path)), { recursive: true });
      writeFileSync(join(project, path), content);
    }
    await git.ask(["init", "--quiet", "--initial-branch=main"]);
    await git.ask(["config", "user.name", "Demo"]);
    await git.ask(["config", "user.email", "demo@example.com"]);
    await saga(["init"]);
    await saga(["stage", "-"], { input: JSON.stringify(demoPlan) });
    await git.ask(["add", "--all"]);
    await git.ask(["commit", "--quiet", "--message", "A plan for a small shop"]);
  }

  async function runStories(): Promise<void> {
    const running = new Set<string>();
    for (;;) {
      const { stories } = await opened().overview();
      const ready = [...stories.values()].filter(
        ({ state, record }) => state === "ready" && !running.has(record.id),
      );
      for (const { record } of ready) {
        printLine(`$ saga run ${record.id}`);
        await saga(["run", record.id], { address: record.id });
        running.add(record.id);
      }
      if (running.size === 0) return;
      const ended = await untilOneEnds(running);
      running.delete(ended);
      await merge(ended);
    }
  }

  async function untilOneEnds(running: ReadonlySet<string>): Promise<string> {
    const deadline = Date.now() + STORY_LIMIT_MS;
    for (;;) {
      for (const id of running) {
        if (await hasEnded(id)) return id;
      }
      if (stop.aborted) throw new SagaError("not-ready", "The demo was stopped.");
      if (Date.now() > deadline) {
        throw new SagaError("bug", `No story ended within ${STORY_LIMIT_MS / 1000} s.`);
      }
      await wait(LOOK_EVERY_MS);
    }
  }

  /** Also shows new events. */
  async function hasEnded(id: string): Promise<boolean> {
    const [last] = await opened().listRuns(id);
    if (!last) return false;
    const { events, nextOffset } = await opened().readEvents(id, last.id, offsets.get(id));
    offsets.set(id, nextOffset);
    for (const event of events) stage.show(id, event);
    if (last.endedAt === undefined) return false;
    if (last.outcome === "done") return true;
    throw new SagaError("program-failed", `${id} ended as ${last.outcome}: ${last.reason ?? ""}`);
  }

  async function merge(id: string): Promise<void> {
    printLine(`$ saga merge ${id} --update-checkout    # it is ready for review, and looks good`);
    await saga(["merge", id, "--update-checkout"]);
  }

  async function result(): Promise<DemoResult> {
    const stories: DemoStory[] = [];
    for (const { id, tasks } of demoPlan.stories) {
      // The newest is the record of its merge.
      const worked = (await opened().listRuns(id)).find(({ outcome }) => outcome === "done");
      const { story } = await opened().readStory(id);
      stories.push({
        id,
        tasks: tasks.length,
        pullRequest: story.pr ?? "",
        seconds: (Date.parse(worked?.endedAt ?? "") - Date.parse(worked?.startedAt ?? "")) / 1000,
        costUsd: worked?.costUsd ?? 0,
      });
    }
    const history = await git.ask(["log", "--graph", "--oneline", "--decorate=no"]);
    return { project, stories, history };
  }

  return { saga, setScene, runStories, result };
}
