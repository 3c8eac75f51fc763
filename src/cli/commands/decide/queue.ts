import { SagaError } from "../../../errors.ts";
import { readLanes } from "../../../landing/read-lanes.ts";
import { withdraw } from "../../../landing/withdraw.ts";
import { landWaiting } from "../../../landing/wait.ts";
import { targetName } from "../../../repo/delivery/target-name.ts";
import { findRepository } from "../../../repo/repository.ts";
import type { Store } from "../../../store/store.ts";
import type { Entry, Lane } from "../../../story/landing/entry.ts";
import type { LaneEntry, LaneView } from "../../../story/landing/lane-view.ts";
import { EXIT } from "../../../story/state/exit-codes.ts";
import { didYouMean, nearestNames } from "../../../text/did-you-mean.ts";
import { duration } from "../../../text/duration.ts";
import { count } from "../../../text/plural.ts";
import { landingKinds } from "../../deliver/landing-kinds.ts";
import { deliverContext } from "../../deliver/merge-command.ts";
import { columns, plain, type Paint } from "../../output/terminal.ts";
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
      "saga queue run     merge what waits, if the commands that asked for it were killed",
    ]),
    async (context) => {
      const lanes = await lanesOf(context);
      const nameOf = await targetNames(context, lanes);
      return { json: { lanes }, text: (paint) => renderLanes(lanes, nameOf, paint) };
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
        throw new SagaError("not-ready", `${entry.name} was being merged already.`, {
          hint: `\`saga show ${entry.name}\` shows what came of it.`,
        });
      },
    ),
  );
  queue.addCommand(
    builder.action(
      builder.command("run", "Merge everything that waits, and end.", ["saga queue run"]),
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
    hint: didYouMean(near) ?? "`saga queue` lists what is.",
  });
}

async function lanesOf({ openProject }: CommandContext): Promise<readonly LaneView[]> {
  const store = openProject();
  return readLanes({ store, settings: await store.settings(), now: Date.now });
}

async function runQueue(context: CommandContext): Promise<CommandResult> {
  const delivery = deliverContext(context);
  const { store, env } = delivery;
  const settings = await store.settings();
  const repository = await findRepository(store.project, env);
  for (const lane of await store.queue.lanes()) {
    await landWaiting({ ...delivery, settings, repository, kinds: landingKinds }, lane);
  }
  const lanes = await lanesOf(context);
  const nameOf = await targetNames(context, lanes);
  const left = lanes.flatMap(({ entries }) => entries);
  return {
    json: { lanes },
    text: (paint) => renderLanes(lanes, nameOf, paint),
    exitCode: left.length === 0 ? EXIT.done : EXIT.notMerged,
  };
}

type TargetNames = (lane: Lane) => string;

/** Asks git only if a target is at the remote. */
async function targetNames(
  { io, openProject }: CommandContext,
  lanes: readonly LaneView[],
): Promise<TargetNames> {
  const isAway = lanes.some(({ lane }) => lane.place === "remote");
  const repository = isAway ? await findRepository(openProject().project, io.env) : undefined;
  return (lane) => targetName(lane, { remote: repository?.remote, ghHost: io.env["GH_HOST"] });
}

function renderLanes(lanes: readonly LaneView[], nameOf: TargetNames, paint: Paint): string {
  const shown = lanes.filter(({ entries, recent }) => entries.length > 0 || recent.length > 0);
  if (shown.length === 0) return "Nothing waits to be merged.\n";
  return shown.map((lane) => renderLane(lane, nameOf, paint)).join("\n");
}

function renderLane(
  { lane, now, entries, recent, checks, flaky }: LaneView,
  nameOf: TargetNames,
  paint: Paint,
): string {
  const hasLander = now !== undefined || entries.length === 0;
  const lines = [
    paint("bold", plain(nameOf(lane))),
    ...columns(entries.map((entry, at) => [`  ${at + 1}`, ...entryCells(entry)])),
    ...(entries.length === 0 ? ["  Nothing waits."] : []),
    ...(hasLander ? [] : ["  No process is merging. Merge what waits: `saga queue run`"]),
    ...flaky.map(
      (command) => `  Flaky check (failed and passed on the same code): ${plain(command)}`,
    ),
  ];
  if (recent.length > 0) {
    const landed = recent.flatMap((batch) => batch.landed).length;
    lines.push(
      paint(
        "dim",
        `  Merged lately: ${landed} with ${count(checks.run, "check")}; ${checks.saved} saved.`,
      ),
    );
  }
  return `${lines.join("\n")}\n`;
}

const entryCells = ({ name, batch, state, reason, etaMs }: LaneEntry): string[] => [
  plain(name),
  batch === undefined ? "" : `batch ${batch}`,
  state,
  plain(reason),
  etaMs === undefined ? "" : `about ${duration(etaMs)}`,
];
