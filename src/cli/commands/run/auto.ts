import { Option, type Command } from "commander";
import { attachCommand } from "../../../machine/programs/tmux.ts";
import { POOL_DAEMON, poolSession } from "../../../story/definition/names.ts";
import type { CommandResult, Build, CommandContext } from "../../program/command.ts";
import { takeEnvironment } from "../../start/session-environment.ts";
import { plain } from "../../output/terminal.ts";
import { untilPoolBegan } from "../../pool/wait-for-pool.ts";
import { requirePool, runPool, type AutoOptions } from "../../pool/pool-daemon.ts";
import { drainPool, poolStatus, stopPool } from "../../pool/pool-status.ts";
import { startInSession } from "../../start/start-session.ts";
import { wholeNumber } from "../../program/parse-number.ts";

interface Options extends AutoOptions {
  readonly json?: boolean;
  readonly rehearse?: boolean;
}

const INSTANCE =
  "only this one, as `saga auto status --json` names it; else every pool of the project";

export const build: Build = (builder) => {
  const top = builder
    .command(
      "auto",
      "Work through a list of loose tasks with several workers, until it is stopped.",
      [
        "saga auto                     here, until Ctrl-C; the list is the project's own, or auto.task_list_id",
        "saga auto --workers 4 --once  until nothing can be started any more",
        "saga auto --detach            in a session of its own",
        "saga auto --rehearse          try everything on a copy, without spending a token",
        "saga auto status",
      ],
      {
        1: "it had to give up",
        3: "with --once: a task has a question for you, or was put aside for you",
      },
    )
    .option(
      "--workers <number>",
      "how many tasks are worked on at once (default 2)",
      wholeNumber(1, 64),
    )
    .option("--once", "end when nothing can be started any more")
    .option("--detach", "in a session of its own, instead of here")
    .option("--rehearse", "all of it on throw-away copies with a scripted model: costs nothing")
    .option("--oversee", "watch over it, and repair what stops it (default: auto.oversee)")
    .option("--no-oversee", "do not, whatever the settings say")
    .option("--update-checkout", "bring a clean checkout of the target up to date with each merge")
    .addOption(new Option("--session <name>", "the tmux session it runs in").hideHelp())
    .addOption(new Option("--output-file <path>", "what that session prints").hideHelp())
    .addOption(new Option("--environment <path>", "the environment to work in").hideHelp());
  builder.action(top, (context, _, options: Options) => start(context, options));
  const below = (
    command: Command,
    act: (context: CommandContext, words: string[]) => Promise<CommandResult>,
  ): void => void top.addCommand(builder.action(command, act));
  below(
    builder.command("status", "Show who is at work on what.", ["saga auto status --json"]),
    poolStatus,
  );
  below(
    builder
      .command(
        "stop",
        "End the pool now. What is being worked on is kept, and returned.",
        ["saga auto stop", "saga auto stop 1a2b3c4d  one of several"],
        { 1: "one was not stopped: it takes long, or runs elsewhere" },
      )
      .argument("[instance]", INSTANCE),
    (context, [instance]) => stopPool(context, instance),
  );
  below(
    builder
      .command("drain", "Begin nothing more, and end when what runs is finished.", [
        "saga auto drain",
      ])
      .argument("[instance]", INSTANCE),
    (context, [instance]) => drainPool(context, instance),
  );
  return top;
};

async function start(given: CommandContext, options: Options): Promise<CommandResult> {
  if (options.rehearse) {
    const { rehearsePool } = await import("../../rehearse/pool.ts");
    return rehearsePool(given, options);
  }
  if (options.detach) return detach(given, options);
  const session = inEnvironment(given, options.environment);
  if (await isOverseen(session, options)) {
    const { overseePool } = await import("../../pool/oversee.ts");
    return overseePool(session, wordsOf(options), options);
  }
  return runPool(session, options);
}

const isOverseen = async (
  { openProject }: CommandContext,
  { oversee }: Options,
): Promise<boolean> => oversee ?? (await openProject().settings()).auto.oversee;

/** Of whoever started the session: the session itself has next to none. */
function inEnvironment(context: CommandContext, file: string | undefined): CommandContext {
  return file === undefined
    ? context
    : { ...context, io: { ...context.io, env: takeEnvironment(file) } };
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
      words: ["auto", isWatched ? "--oversee" : "--no-oversee", ...wordsOf(options)],
      storyId: POOL_DAEMON,
    },
  );
  await untilPoolBegan(io, store.project, started);
  const { outputFile } = started;
  return {
    json: { list: place.listId, session: name, outputFile },
    text: (paint) =>
      [
        `${paint("green", "●")} ${paint("bold", plain(place.listId))} is being worked through.`,
        `  session  ${name}`,
        `  output   ${plain(outputFile)}`,
        "",
        `\`saga auto status\` shows who does what, \`${attachCommand(name).join(" ")}\` looks into it,`,
        "`saga auto drain` lets it finish what it does, `saga auto stop` ends it.",
        "",
      ].join("\n"),
  };
}

/** As they were given: the settings may say otherwise by then. */
const wordsOf = ({ workers, once, updateCheckout, json }: Options): string[] => [
  ...(workers === undefined ? [] : [`--workers=${workers}`]),
  ...(once ? ["--once"] : []),
  ...(updateCheckout ? ["--update-checkout"] : []),
  ...(json ? ["--json"] : []),
];
