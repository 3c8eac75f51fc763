// `saga auto`: checks what the pool needs, runs the daemon, starts its workers in sessions, and reports the end.

import type { Context } from "../../context.ts";
import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { requireOwned } from "../../tasks/list-owner.ts";
import { poolLocation } from "../../tasks/location.ts";
import { SagaError } from "../../errors.ts";
import { openTmux } from "../../machine/programs/tmux.ts";
import { runDaemon } from "../../pool/daemon/daemon.ts";
import type { DaemonEnd, DaemonContext } from "../../pool/daemon/request.ts";
import { findPoolTarget } from "../../pool/task/prepare-worktree.ts";
import type { StartedWorker } from "../../pool/daemon/worker-slot.ts";
import { findRepository, type Repository } from "../../repo/repository.ts";
import { checkoutOf } from "../../repo/worktree/checked-out.ts";
import { readTarget, type Target } from "../../repo/delivery/target.ts";
import { workerName } from "../../tasks/daemon-files.ts";
import { count } from "../../text/plural.ts";
import { EXIT, type ExitCode } from "../../story/state/exit-codes.ts";
import { poolSession } from "../../story/definition/names.ts";
import type { Settings } from "../../story/settings/settings.ts";
import type { CommandResult, CommandContext } from "../program/command.ts";
import type { Io } from "../program/io.ts";
import { sessionTail } from "../output/session-tail.ts";
import { plain } from "../output/terminal.ts";
import { dayRefusal } from "../start/budget.ts";
import { requireAgentProgram } from "../start/require-startable.ts";
import { startInSession } from "../start/start-session.ts";

export interface AutoOptions {
  readonly workers?: number;
  readonly once?: boolean;
  readonly detach?: boolean;
  /** Default: the setting. */
  readonly oversee?: boolean;
  readonly updateCheckout?: boolean;
  readonly session?: string;
  readonly outputFile?: string;
  readonly environment?: string;
}

export interface Pool extends Pick<Context, "store" | "settings" | "repository"> {
  readonly target: Target;
  readonly place: ReturnType<typeof poolLocation>;
  readonly updateCheckouts: boolean;
}

/** Checks everything at the start, so that no task fails later for the same reason. */
export async function requirePool(
  { io, openProject }: CommandContext,
  { updateCheckout }: AutoOptions,
): Promise<Pool> {
  const store = openProject();
  const settings = await store.settings();
  const { project } = store;
  const place = poolLocation(settings, { project, env: io.env });
  requireOwned(place, project);
  await requireAgentProgram(settings, io, project);
  const repository = await findRepository(project, io.env);
  const target = await requireTarget(repository, settings, io);
  const updateCheckouts = updateCheckout ?? settings.delivery.updateCheckout;
  if (target.place === "here" && !updateCheckouts) await requireNotCheckedOut(repository, target);
  return { store, settings, repository, target, place, updateCheckouts };
}

async function requireTarget(
  repository: Repository,
  settings: Settings,
  { env }: Io,
): Promise<Target> {
  try {
    const target = await findPoolTarget(repository, { settings, env, now: Date.now });
    await readTarget(repository, target);
    return target;
  } catch (error) {
    const isSet = settings.auto.target !== undefined;
    if (!isSet || !(error instanceof SagaError) || !NO_TARGET.has(error.code)) throw error;
    throw new SagaError(error.code, error.message, {
      hint: "The branch comes from the setting auto.target. Create it, or set another: `saga config set auto.target <branch>`.",
      cause: error,
    });
  }
}

const NO_TARGET: ReadonlySet<string> = new Set(["not-found", "bad-setting"]);

async function requireNotCheckedOut(repository: Repository, { branch }: Target): Promise<void> {
  const folder = await checkoutOf(repository, branch);
  if (folder === undefined) return;
  throw new SagaError(
    "not-ready",
    `Cannot start the pool: it merges into ${branch}, and the checkout of ${branch} in ${folder} would fall behind.`,
    {
      hint: "Let it update that checkout after each merge: `saga auto --update-checkout`. Or merge into another branch: `saga config set auto.target <branch>`.",
    },
  );
}

/** Runs until it is stopped, or with --once until no task can be started. */
export async function runPool(
  context: CommandContext,
  options: AutoOptions,
): Promise<CommandResult> {
  const { io } = context;
  io.continueOnError();
  const pool = await requirePool(context, options);
  const { store, settings, repository, target, place } = pool;
  const instance = randomBytes(4).toString("hex");
  const hands: DaemonContext = {
    store,
    settings,
    repository,
    target,
    env: io.env,
    startWorker: (slot) => startWorker(io, pool, { slot, instance }),
    logLine: (line) => io.writeError(`${plain(line)}\n`),
    now: Date.now,
    uptimeMs: () => performance.now(),
    // The settings are read each time: a person may raise the budget while the pool runs, and the file may be half written.
    dayRefusal: async () => dayRefusal(store.project, await store.settings().catch(() => settings)),
    stop: io.untilStopped(),
  };
  if (place.contextNote !== undefined) hands.logLine(place.contextNote);
  const end = await runDaemon(
    {
      instance,
      list: place.listId,
      listFolder: place.list,
      contextFile: place.contextFile,
      workers: options.workers ?? settings.auto.workers,
      isOnce: options.once ?? false,
      session: options.session,
    },
    hands,
  );
  // The output is deleted with the session, unless it says why the pool failed.
  const { session: own, outputFile } = options;
  if (own !== undefined && outputFile !== undefined && end.kind !== "failed") {
    rmSync(outputFile, { force: true });
  }
  return poolResult(place.listId, instance, end);
}

async function startWorker(
  io: Io,
  { store, settings, updateCheckouts }: Pool,
  { slot, instance }: { readonly slot: number; readonly instance: string },
): Promise<StartedWorker> {
  const storyId = workerName(slot);
  const name = poolSession(storyId, Date.now());
  const words = ["auto-worker", String(slot), `--instance=${instance}`].concat(
    updateCheckouts ? ["--update-checkout"] : [],
  );
  const { session, outputFile } = await startInSession(
    { io, store, settings },
    { name, words, storyId },
  );
  return {
    session,
    isThere: async () => (await openTmux(io.env).list()).some((one) => one.name === session),
    lastWords: () => sessionTail(outputFile),
  };
}

export function poolResult(list: string, instance: string, end: DaemonEnd): CommandResult {
  const { kind, problem, counts, completed, failed, held } = end;
  const needsPerson = counts.held > 0;
  const exitCode = kind === "done" && needsPerson ? EXIT.question : EXIT_CODES[kind];
  return {
    json: { list, instance, ended: kind, problem, counts, completed, failed, held, exitCode },
    text: () => `${sentences(end).map(plain).join("\n")}\n`,
    exitCode,
  };
}

function sentences({ kind, problem, counts, completed }: DaemonEnd): string[] {
  const done = `${count(completed.length, "task")} completed`;
  const left = [
    counts.eligible > 0 && `${counts.eligible} ready`,
    counts.waiting > 0 && `${counts.waiting} waiting for others`,
    counts.held > 0 &&
      `${counts.held} ${counts.held === 1 ? "needs" : "need"} you (\`saga task list\`)`,
  ].filter((part) => part !== false);
  const first = HEADS[kind];
  return [
    `${first} ${[done, ...left].join(", ")}.`,
    ...(problem
      ? [
          `${problem.kind}${problem.file === undefined ? "" : ` in ${problem.file}`}: ${problem.message}`,
        ]
      : []),
  ];
}

const EXIT_CODES: Readonly<Record<DaemonEnd["kind"], ExitCode>> = {
  done: EXIT.done,
  drained: EXIT.done,
  stopped: EXIT.done,
  failed: EXIT.error,
  budget: EXIT.limit,
};

const HEADS: Readonly<Record<DaemonEnd["kind"], string>> = {
  done: "No task is left to start:",
  drained: "The pool was drained:",
  stopped: "The pool was stopped:",
  failed: "The pool failed:",
  budget: "The day's budget allows no further task:",
};
