import type { Context } from "../../../context.ts";
import { rmSync } from "node:fs";
import { Option } from "commander";
import { ensureEpicPullRequest } from "../../../deliver/epic-pull-request.ts";
import { restoreEpicBranch } from "../../../deliver/epic-target.ts";
import { findLostMerge, lostSentence } from "../../../deliver/earlier-merge.ts";
import { messageOf, SagaError } from "../../../errors.ts";
import { runEpic } from "../../../epic/run-epic.ts";
import type { EpicEnd } from "../../../epic/schedule.ts";
import { findRepository } from "../../../repo/repository.ts";
import { openForge } from "../../../repo/open-forge.ts";
import { epicLease } from "../../../store/leases/lease-names.ts";
import { startHeartbeat } from "../../../store/leases/heartbeat.ts";
import type { Store } from "../../../store/store.ts";
import type { Epic } from "../../../story/definition/epic.ts";
import { requireId } from "../../../story/definition/names.ts";
import { notificationOfEpic } from "../../../story/prompts/notification.ts";
import { isDeliveredAsOne, type Settings } from "../../../story/settings/settings.ts";
import type { CommandResult, Build, CommandContext } from "../../program/command.ts";
import { aroundOf, mergeAndTell, mergedAnswer } from "../../deliver/merge-command.ts";
import { withCheckoutOptions } from "../../deliver/checkout-options.ts";
import { decideCheckout } from "../../deliver/epic-checkout.ts";
import { lines, type Paint } from "../../output/terminal.ts";
import { answer, needsOf, reasonOf } from "../../watch/epic-summary.ts";
import { detachEpic, stopEpic } from "../../start/epic-session.ts";
import { takeEnvironment } from "../../start/session-environment.ts";
import { withRunOptions, type RunOptions } from "../../start/run-options.ts";
import { startSession } from "../../start/start-story.ts";
import { requireClaude, requireSandbox } from "../../start/startable.ts";
import { stopStory } from "../../watch/stop-story.ts";
import { giveNotice } from "../../watch/notify.ts";
import { wholeNumber } from "../../program/parse-number.ts";

interface Options extends RunOptions {
  readonly parallel: number;
  readonly merge?: boolean;
  readonly updateCheckout?: boolean;
  readonly askFirst?: boolean;
  readonly detach?: boolean;
  readonly rehearse?: boolean;
  readonly session?: string;
  readonly outputFile?: string;
  readonly environment?: string;
}

const MAX_COST = "the most that all its stories together may spend in this run";
const TTL_MS = 90_000;
/** No file tells that a worker was killed. */
const LOOK_EVERY_MS = 5_000;

export const build: Build = (builder) => {
  const top = builder.command("epic", "Work through an epic's stories in their order.", [
    "saga epic run user-auth --parallel 3",
    "saga epic run user-auth --merge       also where every story has a pull request of its own",
    "saga epic run user-auth --merge --update-checkout     into the branch that you have checked out",
    "saga epic run user-auth --detach      in a session of its own",
    "saga epic stop user-auth",
  ]);
  const run = builder
    .command(
      "run",
      "Start an epic's stories in their order, each as soon as it can be, until none is left.",
      ["saga epic run user-auth --parallel 3"],
      {
        1: "a story has failed or cannot be started, or the run was stopped",
        2: "a story, or the run itself, came to a limit",
        3: "a story has a question for you",
        4: "a story is verified and not merged",
      },
    )
    .argument("<epic>", "the epic")
    .option("--parallel <number>", "how many stories are worked on at once", wholeNumber(1), 1)
    .option("--merge", "merge each story that has passed its gate");
  const command = withCheckoutOptions(run, "with --merge: ")
    .option("--detach", "in a session of its own, instead of here")
    .option("--rehearse", "all of it on a throw-away copy with a scripted model: costs nothing")
    .addOption(
      new Option("--ask-first", "start nothing when the checkout may not be updated").hideHelp(),
    )
    .addOption(new Option("--session <name>", "the tmux session it runs in").hideHelp())
    .addOption(new Option("--output-file <path>", "what that session prints").hideHelp())
    .addOption(new Option("--environment <path>", "the environment to work in").hideHelp());
  top.addCommand(builder.action(withRunOptions(command, MAX_COST), runCommand));
  const stop = builder
    .command("stop", "End the run of an epic. Stories that are being worked on go on.", [
      "saga epic stop user-auth",
    ])
    .argument("<epic>", "the epic");
  top.addCommand(builder.action(stop, (context, [epicId = ""]) => stopEpic(context, epicId)));
  return top;
};

async function runCommand(
  given: CommandContext,
  [id = ""]: string[],
  { environment, ...options }: Options,
): Promise<CommandResult> {
  const env = environment === undefined ? given.io.env : takeEnvironment(environment);
  const context: CommandContext = { ...given, io: { ...given.io, env } };
  const { io } = context;
  const epicId = requireId("epic", id);
  const { rehearse = false, ...others } = options;
  if (rehearse) {
    const { rehearseEpic } = await import("../../rehearse/epic.ts");
    const onCopy = { ...others, detach: false, merge: true, updateCheckout: true };
    return rehearseEpic(context, epicId, (copy) => runCommand(copy, [epicId], onCopy));
  }
  const store = context.openProject();
  const settings = await store.settings();
  const { epic } = await store.readEpic(epicId);
  const isByEpic = isDeliveredAsOne(epic, settings);
  const mayMerge = isByEpic || options.merge === true;
  const { updateCheckout, askFirst = false } = options;
  if (updateCheckout !== undefined && !mayMerge) throw mergeMissing(epicId);
  requireClaude(settings, io, store.project);
  await requireSandbox(settings, io);
  const asked = { store, settings, epic, given: updateCheckout, isAskedFirst: askFirst };
  const decision = mayMerge ? await decideCheckout(context, asked) : { updateCheckouts: undefined };
  if ("refused" in decision) return decision.refused;
  const { updateCheckouts } = decision;
  if (options.detach) {
    // Decided here: in a session of its own nobody sees a question.
    const isUpdated = mayMerge ? (updateCheckouts ?? false) : undefined;
    return detachEpic(context, epicId, { ...options, updateCheckout: isUpdated });
  }
  const { lease, heldBy } = await store.leases.acquire(epicLease(epicId), {
    owner: mayMerge ? "saga epic run, merging" : "saga epic run",
    purpose: mayMerge ? "merging-epic-run" : "work",
    ttlMs: TTL_MS,
  });
  if (!lease) {
    throw new SagaError(
      "in-use",
      `The epic ${epicId} is being run already (process ${heldBy.pid}).`,
      {
        hint: `Wait until it has ended, or end it: \`saga epic stop ${epicId}\`.`,
      },
    );
  }
  const renewing = startHeartbeat(TTL_MS / 4, lease.renew);
  const stop = io.untilStopped();
  const tell = (sentence: string): void => io.writeError(`${lines(sentence)}\n`);
  try {
    if (isByEpic) await bringBack({ context, store, settings, stop, tell }, epicId);
    const lostMerges = await findLost({ context, store, tell }, epic);
    const end = await runEpic(
      store,
      {
        epicId,
        lostMerges,
        parallel: options.parallel,
        mayMerge,
        mayResume: settings.recover.resume,
        maxCostUsd: options.maxCost,
      },
      {
        stop,
        pollMs: LOOK_EVERY_MS,
        log: tell,
        start: async (id, leftUsd) =>
          void (await startSession(context, id, {
            ...options,
            maxCost: storyLimit(leftUsd, settings),
          })),
        endAtLimit: async (id, reason) =>
          void (await stopStory(store, id, io.env, async () => undefined, reason)),
        merge: async (id) => {
          const around = { ...aroundOf(context), onStep: undefined, stop };
          const merged = await mergeAndTell(context, around, id, { updateCheckouts });
          io.writeError(mergedAnswer(id, merged).text(plainly));
          // A conflict is the agent's to resolve: it has a task more now.
          return (
            merged.kind === "merged" || (merged.kind === "conflict" && merged.taskId !== undefined)
          );
        },
      },
    );
    if (isByEpic) await pullRequest(context, { store, settings, epic, end }, tell);
    if (!stop.aborted) {
      const runId = (end.isDone ? await newestRun(store, epic) : undefined) ?? lease.record.takenAt;
      await notify(context, { store, settings, epic, end }, runId);
    }
    // Why stories are left stays to be read, until `saga clean`: nobody may have been looking.
    const { session: own, outputFile } = options;
    const isSettled = end.isDone || stop.aborted;
    if (own !== undefined && outputFile !== undefined && isSettled) {
      rmSync(outputFile, { force: true });
    }
    const needs = await needsOf(store, end);
    return answer(epic, end, { isStopped: stop.aborted, mayMerge, needs });
  } finally {
    clearInterval(renewing);
    lease.release();
  }
}

/** What is left of the epic's, and no more than one story may spend. */
const storyLimit = (leftUsd: number | undefined, { run }: Settings): number | undefined =>
  leftUsd === undefined ? undefined : Math.min(leftUsd, run.maxCost || Infinity);

const mergeMissing = (epicId: string): SagaError =>
  new SagaError("usage", "--update-checkout goes with --merge only.", {
    hint: `Say both: \`saga epic run ${epicId} --merge --update-checkout\`.`,
  });

interface Telling {
  readonly context: CommandContext;
  readonly store: Store;
  readonly tell: (sentence: string) => void;
}

/** Before anything builds on it. What keeps it from being made is said by each story that needs it. */
async function bringBack(
  {
    context: { io },
    store,
    settings,
    stop,
    tell,
  }: Telling & { readonly settings: Settings; readonly stop: AbortSignal },
  epicId: string,
): Promise<void> {
  try {
    const repository = await findRepository(store.project, io.env);
    const forge = openForge(repository, { settings, env: io.env, now: Date.now });
    await restoreEpicBranch({ repository, forge, settings, stop, onWarning: tell }, epicId);
  } catch (error) {
    tell(messageOf(error));
  }
}

/** The runs of stories that count as merged, and that their target has not got any more. */
async function findLost(
  { context: { io }, store, tell }: Telling,
  { children }: Epic,
): Promise<Set<string>> {
  const { stories } = await store.overview(new Set(children.map(({ id }) => id)));
  const repository = await findRepository(store.project, io.env);
  const lost = new Set<string>();
  for (const [id, view] of stories) {
    const into = await findLostMerge({ store, env: io.env, now: Date.now, repository }, view);
    if (into === undefined || view.lastRun.id === undefined) continue;
    tell(lostSentence(id, into));
    lost.add(view.lastRun.id);
  }
  return lost;
}

const plainly: Paint = (_, text) => text;

interface Ended extends Pick<Context, "store" | "settings"> {
  readonly epic: Epic;
  readonly end: EpicEnd;
}

/** A forge that cannot be reached stops nothing: the next run opens it. */
async function pullRequest(
  { io }: CommandContext,
  { store, settings, epic, end }: Ended,
  tell: (sentence: string) => void,
): Promise<void> {
  try {
    const repository = await findRepository(store.project, io.env);
    const forge = openForge(repository, { settings, env: io.env, now: Date.now });
    const pull = await ensureEpicPullRequest(
      { store, settings, repository, forge },
      epic,
      end.isDone,
    );
    if (pull) tell(`The epic's pull request is ${pull.ref}.`);
    if (pull?.state === "open" && end.isDone) tell(`Merge it: \`saga merge ${epic.id}\``);
  } catch (error) {
    tell(`There is no pull request for the epic yet: ${messageOf(error)}`);
  }
}

/** Of all its stories: as long as none of them is run again, the epic is done as it was. */
async function newestRun(store: Store, { children }: Epic): Promise<string | undefined> {
  const runs = await Promise.all(children.map(({ id }) => store.listRuns(id)));
  return runs
    .flatMap(([last]) => last?.id ?? [])
    .toSorted()
    .at(-1);
}

async function notify(
  { io }: CommandContext,
  { store, settings, epic, end }: Ended,
  runId: string,
): Promise<void> {
  const notice = notificationOfEpic(epic, {
    runId,
    isDone: end.isDone,
    reason: reasonOf(epic, end),
  });
  const around = { project: store.project, settings, env: io.env, now: Date.now };
  await giveNotice(io, notice, around, io.writeError);
}
