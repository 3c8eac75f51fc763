import { rmSync } from "node:fs";
import { resolve } from "node:path";
import { poolLocation } from "../../../tasks/location.ts";
import { SagaError } from "../../../errors.ts";
import { workInPool } from "../../../pool/worker/pool-worker.ts";
import { findRepository } from "../../../repo/repository.ts";
import { instanceFolder, workerName } from "../../../tasks/daemon-files.ts";
import { openSessionFolder } from "../../../store/project/session-folder.ts";
import type { RunEvent } from "../../../story/state/run.ts";
import type { CommandResult, Build, CommandContext } from "../../program/command.ts";
import { landingKinds } from "../../deliver/landing-kinds.ts";
import { takeEnvironment } from "../../start/session-environment.ts";
import { logLine } from "../../output/event-lines.ts";
import { painter } from "../../output/terminal.ts";
import { notifyOfBudget } from "../../watch/notify.ts";
import { requireAgent } from "../../start/require-startable.ts";

interface Options {
  readonly instance: string;
  readonly session?: string;
  readonly outputFile?: string;
  readonly environment?: string;
  readonly updateCheckout?: boolean;
}

export const build: Build = (builder) =>
  builder.action(
    builder
      .command("auto-worker", "Run one worker of the pool. Started by `saga auto`.", [
        "saga auto-worker 1 --instance 1a2b3c4d",
      ])
      .argument("<slot>", "the worker's number")
      .requiredOption("--instance <id>", "the daemon's id")
      .option("--update-checkout", "update a clean checkout of the target")
      .option("--session <name>", "the tmux session it runs in")
      .option("--output-file <path>", "the file with the session's output")
      .option("--environment <path>", "a file with the environment; deleted after reading"),
    work,
  );

async function work(
  { io, cwd, openProject }: CommandContext,
  [slot = ""]: string[],
  options: Options,
): Promise<CommandResult> {
  if (!/^[1-9]\d{0,2}$/.test(slot) || !/^[0-9a-f]{8}$/.test(options.instance)) {
    throw new SagaError("usage", "Invalid worker number or daemon id.", {
      hint: "Use `saga auto` instead.",
    });
  }
  io.continueOnError();
  const env = options.environment === undefined ? io.env : takeEnvironment(options.environment);
  const store = openProject(env);
  const { project } = store;
  const settings = await store.settings();
  const { listId, list, contextFile } = poolLocation(settings, { project, env });
  const paint = painter(io.hasColour);
  const outputFile =
    options.outputFile === undefined ? undefined : resolve(cwd, options.outputFile);
  await workInPool({
    name: workerName(Number(slot)),
    instance: options.instance,
    folder: instanceFolder(project, options.instance),
    list: listId,
    listFolder: list,
    contextFile,
    kinds: landingKinds,
    store,
    settings,
    repository: await findRepository(project, env),
    env,
    agent: requireAgent(settings, { ...io, env }, project),
    sessionDir: openSessionFolder(env, process.getuid?.()),
    session: options.session,
    outputFile,
    updateCheckouts: options.updateCheckout ?? false,
    now: Date.now,
    print: (event: RunEvent) => io.writeOut(logLine(event, paint)),
    stop: io.untilStopped(),
    onBudget: (spent) => void notifyOfBudget({ io, store, settings, env }, spent),
  });
  // The output is deleted with the session; the log of each task is in its run.
  if (outputFile !== undefined && options.session !== undefined)
    rmSync(outputFile, { force: true });
  return { json: { worker: workerName(Number(slot)) }, text: () => "" };
}
