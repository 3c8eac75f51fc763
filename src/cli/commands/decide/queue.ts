import type { EpicMergeResult } from "../../../deliver/epic/merge.ts";
import type { MergeResult } from "../../../deliver/merge.ts";
import { messageOf, SagaError } from "../../../errors.ts";
import { requireOutcome } from "../../../landing/failure.ts";
import { readLanes } from "../../../landing/read-lanes.ts";
import { withdraw } from "../../../landing/withdraw.ts";
import { landWaiting } from "../../../landing/wait.ts";
import { targetName } from "../../../repo/delivery/target-name.ts";
import { findRepository } from "../../../repo/repository.ts";
import { waitUntil } from "../../../machine/processes/timer.ts";
import { isElsewhere } from "../../../story/landing/landed.ts";
import type { Store } from "../../../store/store.ts";
import type { Entry } from "../../../story/landing/entry.ts";
import type { LaneView } from "../../../story/landing/lane-view.ts";
import { EXIT } from "../../../story/state/exit-codes.ts";
import { didYouMean, nearestNames } from "../../../text/did-you-mean.ts";
import { landingKinds } from "../../deliver/landing-kinds.ts";
import { deliverContext } from "../../deliver/merge-command.ts";
import { epicMergeResult, mergeResult } from "../../deliver/merge-result.ts";
import { isBetweenBatches, queueText, type NamedLane } from "../../deliver/queue-text.ts";
import { plain } from "../../output/terminal.ts";
import type {
  Build,
  CommandBuilder,
  CommandContext,
  CommandResult,
} from "../../program/command.ts";
import { personName } from "../../program/person.ts";

export const build: Build = (builder) => {
  const queue = builder.action(
    builder.command("queue", "Show what waits to be merged, and change it.", [
      "saga queue",
      "saga queue hold add-login",
      "saga queue drop add-login",
      "saga queue run     merge the queue, if the commands that waited for it were killed",
    ]),
    async (context) => {
      const lanes = await settledLanes(context);
      const named = await withTargets(context, lanes);
      return { json: { lanes }, text: (paint) => queueText(named, paint) };
    },
  );
  queue.addCommand(
    act(
      builder,
      "hold",
      "Keep an entry from being merged until you release it.",
      async (store, entry, who) => {
        await store.queue.setHold(entry, who);
        return `Holding ${entry.name}. Release it: \`saga queue release ${entry.name}\``;
      },
    ),
  );
  queue.addCommand(
    act(builder, "release", "Let a held entry be merged.", async (store, entry) => {
      await store.queue.setHold(entry, undefined);
      return `Released ${entry.name}`;
    }),
  );
  queue.addCommand(
    act(
      builder,
      "drop",
      "Take an entry out of the queue. Its work stays as it is.",
      async (store, entry, who) => {
        const left = await withdraw(store, entry, { kind: "dropped", by: who });
        if (isDropped(left?.value)) return `Dropped ${entry.name} from the queue`;
        throw new SagaError("not-ready", `Cannot drop ${entry.name}: it is being merged.`, {
          hint: `\`saga show ${entry.name}\` shows its outcome.`,
        });
      },
    ),
  );
  queue.addCommand(
    builder.action(
      builder.command("run", "Merge everything in the queue, then exit.", ["saga queue run"]),
      runQueue,
    ),
  );
  return queue;
};

const isDropped = (outcome: unknown): boolean =>
  typeof outcome === "object" && outcome !== null && Reflect.get(outcome, "kind") === "dropped";

type EntryAct = (store: Store, entry: Entry, who: string) => Promise<string>;

const act = (builder: CommandBuilder, name: string, about: string, change: EntryAct) =>
  builder.action(
    builder
      .command(name, about, [`saga queue ${name} add-login`])
      .argument("<entry>", "a story, an epic or a pool task in the queue"),
    async (context, [word = ""]): Promise<CommandResult> => {
      const store = context.openProject();
      const entry = await requireEntry(store, word);
      const message = await change(store, entry, await personName(context));
      return {
        json: { entry: entry.name, lane: entry.lane, message },
        text: (paint) => `${paint("green", "✓")} ${plain(message)}\n`,
      };
    },
  );

async function requireEntry(store: Store, word: string): Promise<Entry> {
  const entries: Entry[] = [];
  for (const lane of await store.queue.lanes()) entries.push(...(await store.queue.list(lane)));
  const entry = entries.find(({ name }) => name === word);
  if (entry) return entry;
  const near = nearestNames(
    word,
    entries.map(({ name }) => name),
  );
  throw new SagaError("not-found", `${word} is not in the queue.`, {
    hint:
      didYouMean(near) ??
      (entries.length > 0
        ? "`saga queue` lists what waits."
        : "Nothing waits to be merged. `saga merge <story>` puts a story in the queue."),
  });
}

async function lanesOf({ openProject }: CommandContext): Promise<readonly LaneView[]> {
  const store = openProject();
  return readLanes({ store, settings: await store.settings(), now: Date.now });
}

/** Between two batches no process has the lane for a moment. */
async function settledLanes(context: CommandContext): Promise<readonly LaneView[]> {
  let lanes: readonly LaneView[] = [];
  const isSettled = async (): Promise<boolean> => {
    lanes = await lanesOf(context);
    return !lanes.some((lane) => isBetweenBatches(lane, Date.now()));
  };
  await waitUntil(isSettled, { maxMs: 3_000, pollMs: 150 });
  return lanes;
}

async function runQueue(context: CommandContext): Promise<CommandResult> {
  const delivery = deliverContext(context);
  const { store, env } = delivery;
  const settings = await store.settings();
  const repository = await findRepository(store.project, env);
  const outcomes: EntryOutcome[] = [];
  for (const lane of await store.queue.lanes()) {
    const waiting = await store.queue.list(lane);
    await landWaiting({ ...delivery, settings, repository, kinds: landingKinds }, lane);
    const own = await store.queue.machine(lane);
    for (const entry of waiting) {
      if (isElsewhere(entry, own)) {
        const text = await landedElsewhere(store.queue, entry);
        if (text !== undefined) outcomes.push({ entry: entry.name, isMerged: true, text });
        continue;
      }
      const outcome = await store.queue.outcome(entry);
      if (outcome) outcomes.push({ entry: entry.name, ...summaryOf(entry, outcome.value) });
    }
  }
  const lanes = await lanesOf(context);
  const named = await withTargets(context, lanes);
  const left = lanes.flatMap(({ entries }) => entries);
  const isAllMerged = outcomes.every(({ isMerged }) => isMerged);
  return {
    json: { lanes, outcomes },
    text: (paint) =>
      [
        ...outcomes.map(
          ({ text, isMerged }) => `${isMerged ? paint("green", "✓") : paint("red", "✗")} ${text}\n`,
        ),
        queueText(named, paint),
      ].join(""),
    exitCode: !isAllMerged ? EXIT.error : left.length === 0 ? EXIT.done : EXIT.notMerged,
  };
}

/** Undefined if it still waits, or if its own machine says what came of it. */
async function landedElsewhere(queue: Store["queue"], entry: Entry): Promise<string | undefined> {
  const landed = await queue.landed(entry);
  return (
    landed &&
    plain(
      `${entry.name}: merged into ${entry.lane.branch} (${landed.commit.slice(0, 12)}); ${entry.machine ?? ""} does the rest.`,
    )
  );
}

interface EntryOutcome {
  readonly entry: string;
  readonly isMerged: boolean;
  readonly text: string;
}

/** What the command that asked for it would have printed. */
function summaryOf(entry: Entry, value: unknown): Pick<EntryOutcome, "isMerged" | "text"> {
  try {
    const outcome = requireOutcome(value);
    const isMerged = Reflect.get(outcome, "kind") === "merged";
    return { isMerged, text: outcomeText(entry, outcome) };
  } catch (error) {
    const hint = error instanceof SagaError && error.hint !== undefined ? `\n  ${error.hint}` : "";
    return { isMerged: false, text: plain(`${entry.name}: ${messageOf(error)}${hint}`) };
  }
}

/** The lander wrote the outcome for the kind of the entry. */
function outcomeText({ kind, name }: Entry, outcome: object): string {
  if (kind === "task") return plain(`${name}: ${String(Reflect.get(outcome, "kind"))}`);
  const result =
    kind === "epic"
      ? epicMergeResult(name, outcome as EpicMergeResult)
      : mergeResult(name, outcome as MergeResult);
  const { text } = result;
  return (typeof text === "function" ? text((_, words) => words) : text).trimEnd();
}

/** Asks git only if a target is at the remote. */
async function withTargets(
  { io, openProject }: CommandContext,
  lanes: readonly LaneView[],
): Promise<readonly NamedLane[]> {
  const isAway = lanes.some(({ lane }) => lane.place === "remote");
  const repository = isAway ? await findRepository(openProject().project, io.env) : undefined;
  const place = { remote: repository?.remote, ghHost: io.env["GH_HOST"] };
  return lanes.map((view) => ({ view, target: targetName(view.lane, place) }));
}
