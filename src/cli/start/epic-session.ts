// Starts and stops an epic's run in a detached session.

import { SagaError } from "../../errors.ts";
import { stopEpicOnFleet, type StoppedOnFleet } from "../fleet/stop-epic.ts";
import { askToEnd } from "../../machine/processes/ask-to-end.ts";
import { attachCommand } from "../../machine/programs/tmux.ts";
import { epicInUse } from "../../store/leases/in-use.ts";
import { epicLease } from "../../store/leases/lease-names.ts";
import type { Store } from "../../store/store.ts";
import { epicSession, requireId } from "../../story/definition/names.ts";
import type { CommandResult, CommandContext } from "../program/command.ts";
import { plain } from "../output/terminal.ts";
import { argumentsOf, type RunOptions } from "./run-options.ts";
import { startInSession } from "./start-session.ts";

interface Options extends RunOptions {
  readonly parallel: number;
  readonly merge?: boolean;
  readonly updateCheckout?: boolean | undefined;
}

export async function detachEpic(
  { io, openProject }: CommandContext,
  epicId: string,
  { parallel, merge, updateCheckout, ...options }: Options,
): Promise<CommandResult> {
  const store = openProject();
  const lease = await store.leases.read(epicLease(epicId));
  if (lease?.life === "alive") throw epicInUse(epicId, lease.record.owner);
  const name = epicSession(epicId, Date.now());
  const words = [
    `--parallel=${parallel}`,
    ...(merge ? ["--merge"] : []),
    ...(updateCheckout === undefined ? [] : [`--${updateCheckout ? "" : "no-"}update-checkout`]),
    ...argumentsOf(options),
  ];
  const { outputFile } = await startInSession(
    { io, store, settings: await store.settings() },
    { name, words: ["epic", "run", epicId, ...words] },
  );
  return {
    json: { epic: epicId, session: name, outputFile },
    text: (paint) =>
      [
        `${paint("green", "✓")} Running epic ${paint("bold", epicId)}`,
        `  session  ${name}`,
        `  output   ${plain(outputFile)}`,
        "",
        `Watch it: \`saga attach ${epicId}\` or \`${attachCommand(name).join(" ")}\``,
        `Stop it: \`saga epic stop ${epicId}\``,
        "If it ends with unfinished stories, the output file stays until `saga clean`.",
        "",
      ].join("\n"),
  };
}

const GRACE_MS = 10_000;

export type EpicStop = "not-running" | "stopped" | "elsewhere" | "slow";

/** Sends SIGTERM: the run releases its lease. Its stories continue in their own sessions. */
export async function stopEpicRun(store: Store, epicId: string): Promise<EpicStop> {
  const lease = await store.leases.read(epicLease(epicId));
  if (lease?.life !== "alive") return "not-running";
  const end = await askToEnd(lease.record, GRACE_MS);
  return end === "ended" ? "stopped" : end;
}

export async function stopEpic(
  { io, openProject }: CommandContext,
  word: string,
): Promise<CommandResult> {
  const epicId = requireId("epic", word);
  const store = openProject();
  await store.readEpic(epicId);
  const end = await stopEpicRun(store, epicId);
  switch (end) {
    case "elsewhere":
      throw new SagaError(
        "in-use",
        `The run of ${epicId} is on another machine or in a container.`,
        { hint: "Stop it there." },
      );
    case "slow":
      throw new SagaError("program-failed", `The run of ${epicId} has not ended yet.`, {
        hint: "It may be merging a story; try again in a moment.",
      });
    case "stopped":
    case "not-running": {
      const onFleet = await stopEpicOnFleet({ store, env: io.env }, epicId);
      return stopResult(epicId, end === "stopped", onFleet);
    }
  }
}

const stopResult = (
  epicId: string,
  wasRunning: boolean,
  onFleet: StoppedOnFleet | undefined,
): CommandResult => ({
  json: { epic: epicId, wasRunning, ...(onFleet && { fleet: onFleet }) },
  text: () => {
    const { stopped = [], running = [] } = onFleet ?? {};
    const were = stopped.length === 1 ? "was" : "were";
    const isOnFleet = stopped.length + running.length > 0;
    return [
      ...(wasRunning ? [`Stopped the run of ${epicId}. Its running stories continue.\n`] : []),
      ...(isOnFleet
        ? [`The fleet takes no further story of ${epicId}; ${stopped.length} ${were} queued.\n`]
        : []),
      ...running.map((story) => `${story} continues: \`saga stop ${story}\` stops it.\n`),
      ...(wasRunning || isOnFleet ? [] : [`The epic ${epicId} is not running.\n`]),
    ].join("");
  },
});
