import { Option } from "commander";
import { SagaError } from "../../../errors.ts";
import { requireId } from "../../../story/definition/names.ts";
import { isDeliveredAsOne } from "../../../story/settings/settings.ts";
import type { CommandResult, Build, CommandContext } from "../../program/command.ts";
import { withCheckoutOptions } from "../../deliver/checkout-options.ts";
import { decideCheckout } from "../../deliver/epic-checkout.ts";
import { refuseLocalOptions } from "../../fleet/local-options.ts";
import { detachEpic, stopEpic } from "../../start/epic-session.ts";
import { takeEnvironment } from "../../start/session-environment.ts";
import { withRunOptions, withSessionOptions, type RunOptions } from "../../start/run-options.ts";
import { runEpicHere } from "../../start/run-epic-here.ts";
import { requireAgentProgram } from "../../start/require-startable.ts";
import { wholeNumber } from "../../program/parse-number.ts";

interface Options extends RunOptions {
  readonly parallel?: number;
  readonly merge?: boolean;
  readonly fleet?: boolean;
  readonly updateCheckout?: boolean;
  readonly askFirst?: boolean;
  readonly detach?: boolean;
  readonly rehearse?: boolean;
  readonly session?: string;
  readonly outputFile?: string;
  readonly environment?: string;
  readonly json?: boolean;
}

const MAX_COST =
  "cost limit in US dollars for all stories of this run together (default budget.epic)";

export const build: Build = (builder) => {
  const top = builder.command("epic", "Run an epic's stories in their order.", [
    "saga epic run user-auth --parallel 3",
    "saga epic run user-auth --merge       merge each story that passed its checks",
    "saga epic run user-auth --merge --update-checkout     also update your checkout of the target",
    "saga epic run user-auth --detach      run in a detached session",
    "saga epic stop user-auth",
  ]);
  const run = builder
    .command(
      "run",
      "Start each story of an epic as soon as the stories it depends on are merged.",
      [
        "saga epic run user-auth --parallel 3",
        "saga epic run user-auth --merge --update-checkout     merge what passed, update your checkout",
        "saga epic run user-auth --max-cost 20 --max-time 90",
        "saga epic run user-auth --fleet --merge               on all machines of the fleet",
        "saga epic run user-auth --rehearse                    try it on a copy, without spending a token",
      ],
      {
        1: "a story failed or cannot be started, or the run was stopped",
        2: "a story or the run reached a limit",
        3: "a story has a question for you",
        4: "a story passed its checks but is not merged",
      },
    )
    .argument("<epic>", "the epic")
    .option("--parallel <number>", "number of stories to run at once (default 1)", wholeNumber(1))
    .option("--merge", "merge each story that passed its checks")
    .option("--fleet", "run it on the machines of the fleet, and show their progress");
  const command = withCheckoutOptions(run, "with --merge: ")
    .option("--detach", "run in a detached session instead of this terminal")
    .option("--rehearse", "run on a throw-away copy with a scripted model: costs nothing")
    .addOption(new Option("--ask-first", "refuse if the checkout may not be updated").hideHelp());
  const hidden = withSessionOptions(withRunOptions(command, MAX_COST));
  top.addCommand(builder.action(hidden, runEpicCommand));
  const stop = builder
    .command("stop", "Stop an epic's run. Its running stories continue.", [
      "saga epic stop user-auth",
    ])
    .argument("<epic>", "the epic");
  top.addCommand(builder.action(stop, (context, [epicId = ""]) => stopEpic(context, epicId)));
  return top;
};

/** Each machine decides these for itself. */
const NOT_WITH_FLEET = ["maxTime", "maxCycles", "model", "updateCheckout"] as const;

export async function runEpicCommand(
  caller: CommandContext,
  [id = ""]: string[],
  { environment, ...options }: Options,
): Promise<CommandResult> {
  const env = environment === undefined ? caller.io.env : takeEnvironment(environment);
  const context: CommandContext = {
    ...caller,
    io: { ...caller.io, env },
    openProject: () => caller.openProject(env),
  };
  const epicId = requireId("epic", id);
  if (options.rehearse) return rehearse(context, epicId, options);
  if (options.fleet) return runOnFleet(context, epicId, options);
  return runHere(context, epicId, options);
}

async function rehearse(
  context: CommandContext,
  epicId: string,
  options: Options,
): Promise<CommandResult> {
  if (options.fleet) {
    refuseLocalOptions(options, ["rehearse"], "A rehearsal runs on this machine alone.");
  }
  const { rehearseEpic } = await import("../../rehearse/stories.ts");
  const { rehearse: _rehearse, ...others } = options;
  const onCopy = { ...others, detach: false, merge: true, updateCheckout: true };
  return rehearseEpic(context, epicId, (copy) => runEpicCommand(copy, [epicId], onCopy));
}

async function runOnFleet(
  context: CommandContext,
  epicId: string,
  options: Options,
): Promise<CommandResult> {
  refuseLocalOptions(
    options,
    ["parallel"],
    "Each machine decides how many stories it works on: `saga fleet join --slots <number>`.",
  );
  refuseLocalOptions(
    options,
    NOT_WITH_FLEET,
    "Each machine keeps to the limits in the project's settings: `saga config`.",
  );
  const { runEpicOnFleet } = await import("../../fleet/follow-epic.ts");
  const { merge = false, detach = false, maxCost } = options;
  const { budget } = await context.openProject().settings();
  const budgetUsd = maxCost ?? (budget.epic || undefined);
  return runEpicOnFleet(context, epicId, { merge, detach, budgetUsd });
}

async function runHere(
  context: CommandContext,
  epicId: string,
  options: Options,
): Promise<CommandResult> {
  const store = context.openProject();
  const settings = await store.settings();
  const { parallel = 1 } = options;
  const { epic } = await store.readEpic(epicId);
  const isByEpic = isDeliveredAsOne(epic, settings);
  const mayMerge = isByEpic || options.merge === true;
  const { updateCheckout, askFirst = false } = options;
  if (updateCheckout !== undefined && !mayMerge) throw mergeMissing(epicId);
  await requireAgentProgram(settings, context.io, store.project);
  const request = { store, settings, epic, updateCheckout, mustAskFirst: askFirst };
  const decision = mayMerge
    ? await decideCheckout(context, request)
    : { updateCheckouts: undefined };
  if ("declined" in decision) return decision.declined;
  const { updateCheckouts } = decision;
  if (options.detach) {
    // Decided here, because a question in a detached session would go unnoticed.
    const isUpdated = mayMerge ? (updateCheckouts ?? false) : undefined;
    return detachEpic(context, epicId, { ...options, parallel, updateCheckout: isUpdated });
  }
  const run = { context, store, settings, epic, parallel, isByEpic, mayMerge };
  return runEpicHere({ ...run, updateCheckouts, options });
}

const mergeMissing = (epicId: string): SagaError =>
  new SagaError("usage", "--update-checkout works only together with --merge.", {
    hint: `Add --merge: \`saga epic run ${epicId} --merge --update-checkout\`.`,
  });
