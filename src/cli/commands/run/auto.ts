import type { Command } from "commander";
import { SagaError } from "../../../errors.ts";
import { refuseLocalOptions } from "../../fleet/local-options.ts";
import { attachCommand, openTmux } from "../../../machine/programs/tmux.ts";
import { POOL_DAEMON, poolSession } from "../../../story/definition/names.ts";
import type { CommandResult, Build, CommandContext } from "../../program/command.ts";
import { withSessionOptions } from "../../start/run-options.ts";
import { takeEnvironment } from "../../start/session-environment.ts";
import { plain } from "../../output/terminal.ts";
import { requirePool, runPool, type AutoOptions } from "../../pool/pool-daemon.ts";
import { drainPool, poolStatus, stopPool } from "../../pool/pool-status.ts";
import { startInSession, type StartedSession } from "../../start/start-session.ts";
import { wholeNumber } from "../../program/parse-number.ts";
import { setTimeout as wait } from "node:timers/promises";
import { readDaemons } from "../../../tasks/daemon-files.ts";
import type { Io } from "../../program/io.ts";
import { sessionTail } from "../../output/session-tail.ts";

interface Options extends AutoOptions {
  readonly json?: boolean;
  readonly rehearse?: boolean;
  readonly fleet?: boolean;
}

const INSTANCE =
  "one pool by its id from `saga auto status --json`; default: all pools of the project";

export const build: Build = (builder) => {
  const top = builder
    .command(
      "auto",
      "Run the pool: several workers that take loose tasks from a list (`saga task add`), until stopped.",
      [
        "saga auto                     run in this terminal until Ctrl-C",
        "saga auto --workers 4 --once  stop when no task can be started",
        "saga auto --detach            run in a detached session",
        "saga auto --rehearse          try it on a copy, without spending a token",
        "saga auto --fleet             give the tasks to the machines of the fleet",
        "saga auto status",
      ],
      {
        1: "the pool failed",
        3: "with --once: a task has a question for you or is on hold",
      },
    )
    .option("--workers <number>", "number of tasks to run at once (default 2)", wholeNumber(1, 64))
    .option("--once", "exit when no task can be started")
    .option("--detach", "run in a detached session instead of this terminal")
    .option("--rehearse", "run on throw-away copies with a scripted model: costs nothing")
    .option("--fleet", "give the tasks to the fleet, each as a story, and show their progress")
    .option(
      "--oversee",
      "restart the pool and repair its list when it fails (default: auto.oversee)",
    )
    .option("--no-oversee", "do not oversee the pool, whatever the settings say")
    .option("--update-checkout", "update a clean checkout of the target after each merge");
  builder.action(withSessionOptions(top), (context, _, options: Options) =>
    start(context, options),
  );
  const below = (
    command: Command,
    act: (context: CommandContext, words: string[]) => Promise<CommandResult>,
  ): void => void top.addCommand(builder.action(command, act));
  below(
    builder.command("status", "Show the workers and their tasks.", ["saga auto status --json"]),
    poolStatus,
  );
  below(
    builder
      .command(
        "stop",
        "Stop the pool now. Running tasks keep their work and return to the list.",
        ["saga auto stop", "saga auto stop 1a2b3c4d  stop one of several pools"],
        { 1: "a pool is still stopping, or runs on another machine" },
      )
      .argument("[instance]", INSTANCE),
    (context, [instance]) => stopPool(context, instance),
  );
  below(
    builder
      .command("drain", "Start no new tasks; the pool exits when the running ones finish.", [
        "saga auto drain",
      ])
      .argument("[instance]", INSTANCE),
    (context, [instance]) => drainPool(context, instance),
  );
  return top;
};

async function start(caller: CommandContext, options: Options): Promise<CommandResult> {
  if (options.fleet) return onFleet(caller, options);
  if (options.rehearse) {
    const { rehearsePool } = await import("../../rehearse/pool.ts");
    return rehearsePool(caller, options);
  }
  if (options.detach) return detach(caller, options);
  const context = inEnvironment(caller, options.environment);
  if (await shouldOversee(context, options)) {
    const { overseePool } = await import("../../pool/oversee.ts");
    return overseePool(context, argumentsOf(options), options);
  }
  return runPool(context, options);
}

/** These are about workers of this machine. */
const NOT_WITH_FLEET = ["workers", "once", "rehearse", "oversee", "updateCheckout"] as const;

async function onFleet(context: CommandContext, options: Options): Promise<CommandResult> {
  refuseLocalOptions(
    options,
    NOT_WITH_FLEET,
    "Each machine decides how many stories it works on: `saga fleet join --slots <number>`.",
  );
  const { runPoolOnFleet } = await import("../../fleet/pool/run-pool.ts");
  return runPoolOnFleet(context, { detach: options.detach ?? false });
}

const shouldOversee = async (
  { openProject }: CommandContext,
  { oversee }: Options,
): Promise<boolean> => oversee ?? (await openProject().settings()).auto.oversee;

/** Replaces the session's nearly empty environment with that of the process that started it. */
function inEnvironment(context: CommandContext, file: string | undefined): CommandContext {
  if (file === undefined) return context;
  const env = takeEnvironment(file);
  return { ...context, io: { ...context.io, env }, openProject: () => context.openProject(env) };
}

async function detach(context: CommandContext, options: Options): Promise<CommandResult> {
  const { io } = context;
  const { store, settings, place } = await requirePool(context, options);
  const isWatched = options.oversee ?? settings.auto.oversee;
  const name = poolSession(POOL_DAEMON, Date.now());
  const started = await startInSession(
    { io, store, settings },
    {
      name,
      words: ["auto", isWatched ? "--oversee" : "--no-oversee", ...argumentsOf(options)],
      storyId: POOL_DAEMON,
    },
  );
  await waitForPool(io, store.project, started);
  const { outputFile } = started;
  return {
    json: { list: place.listId, session: name, outputFile },
    text: (paint) =>
      [
        `${paint("green", "✓")} Started a pool on ${paint("bold", plain(place.listId))}`,
        `  session  ${name}`,
        `  output   ${plain(outputFile)}`,
        "",
        "Check it: `saga auto status`",
        `Watch it: \`${attachCommand(name).join(" ")}\``,
        "Stop it: `saga auto stop`, or `saga auto drain` to finish the running tasks first",
        "",
      ].join("\n"),
  };
}

/** The caller's options, so that later changes of the settings do not apply. */
const argumentsOf = ({ workers, once, updateCheckout, json }: Options): string[] => [
  ...(workers === undefined ? [] : [`--workers=${workers}`]),
  ...(once ? ["--once"] : []),
  ...(updateCheckout ? ["--update-checkout"] : []),
  ...(json ? ["--json"] : []),
];

const POLL_MS = 50;
/** Longer, because each poll starts a tmux process. */
const TMUX_POLL_MS = 1_000;
/** After this the machine is assumed to be just slow. */
const MAX_WAIT_MS = 30_000;

async function waitForPool(
  io: Io,
  project: string,
  { session, outputFile }: StartedSession,
): Promise<void> {
  const hasStarted = (): boolean =>
    readDaemons(project).some(({ daemon }) => daemon.session === session);
  const deadlineMs = performance.now() + MAX_WAIT_MS;
  for (let askMs = performance.now() + TMUX_POLL_MS; !hasStarted(); await wait(POLL_MS)) {
    const nowMs = performance.now();
    if (nowMs > deadlineMs) return;
    if (nowMs < askMs) continue;
    const isThere = (await openTmux(io.env).list()).some(({ name }) => name === session);
    // It may have registered and ended while tmux answered.
    if (!isThere && !hasStarted()) throw exitedDuringStartup(outputFile);
    askMs = performance.now() + TMUX_POLL_MS;
  }
}

function exitedDuringStartup(outputFile: string): SagaError {
  const tail = sessionTail(outputFile);
  const words = tail === "" ? "It printed nothing." : `Its last output: ${tail}`;
  return new SagaError("program-failed", `The pool exited during startup. ${words}`, {
    hint: "Run `saga auto` without `--detach` to see the error.",
  });
}
