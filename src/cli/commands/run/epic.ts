import { rmSync } from "node:fs";
import { Option } from "commander";
import { restoreEpicBranch } from "../../../deliver/epic/target.ts";
import { findLostMerge, lostSentence } from "../../../deliver/earlier-merge.ts";
import { messageOf, SagaError } from "../../../errors.ts";
import { runEpic } from "../../../epic/run-epic.ts";
import { findRepository } from "../../../repo/repository.ts";
import { openForge } from "../../../repo/open-forge.ts";
import { epicInUse } from "../../../store/leases/in-use.ts";
import { epicLease } from "../../../store/leases/lease-names.ts";
import { epicBudgetSpent, requestDrain } from "../../../store/leases/drain-request.ts";
import { LEASE_TTL_MS, renewedLease } from "../../../store/leases/renew-lease.ts";
import { layoutOf } from "../../../store/project/layout.ts";
import type { Store } from "../../../store/store.ts";
import type { Epic } from "../../../story/definition/epic.ts";
import { requireId } from "../../../story/definition/names.ts";
import { isDeliveredAsOne } from "../../../story/settings/settings.ts";
import type { CommandResult, Build, CommandContext } from "../../program/command.ts";
import { deliverContext, mergeAndNotify } from "../../deliver/merge-command.ts";
import { mergeResult } from "../../deliver/merge-result.ts";
import { withCheckoutOptions } from "../../deliver/checkout-options.ts";
import { decideCheckout } from "../../deliver/epic-checkout.ts";
import { lines, type Paint } from "../../output/terminal.ts";
import { refuseLocalOptions } from "../../fleet/local-options.ts";
import { drainElsewhere } from "../../fleet/stop-elsewhere.ts";
import { startEpicLive } from "../../watch/epic-live.ts";
import { newestRun, notifyOfEpic, openEpicPullRequest } from "../../watch/epic-end.ts";
import { epicResult, needsOf } from "../../watch/epic-summary.ts";
import { detachEpic, stopEpic } from "../../start/epic-session.ts";
import { takeEnvironment } from "../../start/session-environment.ts";
import { withRunOptions, withSessionOptions, type RunOptions } from "../../start/run-options.ts";
import { startSession } from "../../start/start-story.ts";
import { asClause, dayRefusal, usualStoryCost } from "../../start/budget.ts";
import { requireAgentProgram } from "../../start/require-startable.ts";
import { notifyOfBudget } from "../../watch/notify.ts";
import { wholeNumber } from "../../program/parse-number.ts";
import type { Context } from "../../../context.ts";

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
/** A killed worker changes no file, so its story is polled. */
const POLL_MS = 5_000;

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
  const { io } = context;
  const epicId = requireId("epic", id);
  const { rehearse = false, ...others } = options;
  if (rehearse) {
    if (options.fleet) {
      refuseLocalOptions(options, ["rehearse"], "A rehearsal runs on this machine alone.");
    }
    const { rehearseEpic } = await import("../../rehearse/stories.ts");
    const onCopy = { ...others, detach: false, merge: true, updateCheckout: true };
    return rehearseEpic(context, epicId, (copy) => runEpicCommand(copy, [epicId], onCopy));
  }
  if (options.fleet) {
    const { runEpicOnFleet } = await import("../../fleet/follow-epic.ts");
    const { merge = false, detach = false, maxCost } = options;
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
    const { budget } = await context.openProject().settings();
    const budgetUsd = maxCost ?? (budget.epic || undefined);
    return runEpicOnFleet(context, epicId, { merge, detach, budgetUsd });
  }
  const store = context.openProject();
  const settings = await store.settings();
  const { parallel = 1 } = options;
  const { epic } = await store.readEpic(epicId);
  const isByEpic = isDeliveredAsOne(epic, settings);
  const mayMerge = isByEpic || options.merge === true;
  const { updateCheckout, askFirst = false } = options;
  if (updateCheckout !== undefined && !mayMerge) throw mergeMissing(epicId);
  await requireAgentProgram(settings, io, store.project);
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
  const { lease: acquired, heldBy } = await store.leases.acquire(epicLease(epicId), {
    owner: mayMerge ? "saga epic run, merging" : "saga epic run",
    purpose: mayMerge ? "merging-epic-run" : "work",
    ttlMs: LEASE_TTL_MS,
  });
  if (!acquired) throw epicInUse(epicId, heldBy.owner);
  const lease = renewedLease(acquired);
  const stop = AbortSignal.any([io.untilStopped(), lease.lost]);
  const maxCostUsd = options.maxCost ?? (settings.budget.epic || undefined);
  const live = startEpicLive(io, {
    store,
    epic,
    parallel,
    isShown: io.isTerminal && options.session === undefined && !options.json,
  });
  const printLine = (sentence: string): void => live.print(`${lines(sentence)}\n`);
  const onLost = (): void => printLine(`Another machine runs ${epicId} now, so this run ends.`);
  lease.lost.addEventListener("abort", onLost);
  try {
    if (isByEpic) await restoreBranch({ context, store, settings, stop, printLine }, epicId);
    const lostMerges = await findLost({ context, store, printLine }, epic);
    const end = await runEpic(
      store,
      {
        epicId,
        lostMerges,
        parallel,
        mayMerge,
        overlap: settings.epic.overlap,
        mayResume: settings.recover.resume,
        maxCostUsd,
        usualCostUsd: usualStoryCost(store.project, settings),
      },
      {
        stop,
        pollMs: POLL_MS,
        log: printLine,
        start: async (id, leftUsd) =>
          void (await startSession(context, id, {
            ...options,
            maxCost: settings.run.maxCost || undefined,
            epicBudget: leftUsd,
          })),
        dayRefusal: () => {
          const reason = dayRefusal(store.project, settings);
          return reason && asClause(reason);
        },
        onNearLimit: (spentUsd) =>
          void notifyOfBudget(
            { io, store, settings, env },
            { spentUsd, budgetUsd: maxCostUsd ?? 0 },
            { occasion: `${epicId}/${lease.record.takenAt}`, epic: epicId },
          ),
        drain: async (id, budgetUsd) => {
          if (await drainElsewhere({ store, env: io.env }, id, budgetUsd)) return;
          requestDrain(layoutOf(store.project), id, Date.now(), epicBudgetSpent(budgetUsd));
        },
        merge: async (id) => {
          const delivery = { ...deliverContext(context), onStep: undefined, stop };
          const merged = await mergeAndNotify(context, delivery, id, { updateCheckouts });
          live.print(mergeResult(id, merged).text(plainly));
          // After a conflict or a failure the story has a new task for its agent.
          return merged.kind === "merged" || ("taskId" in merged && merged.taskId !== undefined);
        },
      },
    );
    live.end();
    if (isByEpic) await openEpicPullRequest(context, { store, settings, epic, end }, printLine);
    if (!stop.aborted) {
      const runId = (end.isDone ? await newestRun(store, epic) : undefined) ?? lease.record.takenAt;
      await notifyOfEpic(context, { store, settings, epic, end }, runId);
    }
    // If stories are left, the output is kept until `saga clean`, because it says why.
    const { session: own, outputFile } = options;
    const isSettled = end.isDone || stop.aborted;
    if (own !== undefined && outputFile !== undefined && isSettled) {
      rmSync(outputFile, { force: true });
    }
    const needs = await needsOf({ store, env }, end.open);
    return epicResult(epic, end, { isStopped: stop.aborted, mayMerge, needs });
  } finally {
    live.end();
    await lease.release();
  }
}

const mergeMissing = (epicId: string): SagaError =>
  new SagaError("usage", "--update-checkout needs --merge.", {
    hint: `Use both: \`saga epic run ${epicId} --merge --update-checkout\`.`,
  });

interface EpicRunContext {
  readonly context: CommandContext;
  readonly store: Store;
  readonly printLine: (sentence: string) => void;
}

/** Done before a story builds on the branch. If it fails, each story that needs the branch reports why. */
async function restoreBranch(
  {
    context: { io },
    store,
    settings,
    stop,
    printLine,
  }: EpicRunContext & Pick<Context, "settings" | "stop">,
  epicId: string,
): Promise<void> {
  try {
    const repository = await findRepository(store.project, io.env);
    const forge = openForge(repository, { settings, env: io.env, now: Date.now });
    await restoreEpicBranch({ repository, forge, settings, stop, onWarning: printLine }, epicId);
  } catch (error) {
    printLine(messageOf(error));
  }
}

/** Runs of merged stories whose commits are no longer in the target. */
async function findLost(
  { context: { io }, store, printLine }: EpicRunContext,
  { children }: Epic,
): Promise<Set<string>> {
  const { stories } = await store.overview(new Set(children.map(({ id }) => id)));
  const repository = await findRepository(store.project, io.env);
  const lost = new Set<string>();
  for (const [id, view] of stories) {
    const into = await findLostMerge({ store, env: io.env, now: Date.now, repository }, view);
    if (into === undefined || view.lastRun.id === undefined) continue;
    printLine(lostSentence(id, into));
    lost.add(view.lastRun.id);
  }
  return lost;
}

const plainly: Paint = (_, text) => text;
