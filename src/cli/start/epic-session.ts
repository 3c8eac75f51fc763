// The run of an epic that outlives the terminal it was started from, and its end.

import { setTimeout as wait } from "node:timers/promises";
import { SagaError } from "../../errors.ts";
import { livenessOf } from "../../machine/processes/process-id.ts";
import { attachCommand } from "../../machine/programs/tmux.ts";
import { epicLease } from "../../store/leases/lease-names.ts";
import type { Store } from "../../store/store.ts";
import { epicSession, requireId } from "../../story/definition/names.ts";
import type { CommandResult, CommandContext } from "../program/command.ts";
import { plain } from "../output/terminal.ts";
import { wordsOf, type RunOptions } from "./run-options.ts";
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
  if (lease?.life === "alive") {
    throw new SagaError("in-use", `The epic ${epicId} is being run already.`, {
      hint: `\`saga epic stop ${epicId}\` ends it.`,
    });
  }
  const name = epicSession(epicId, Date.now());
  const words = [
    `--parallel=${parallel}`,
    ...(merge ? ["--merge"] : []),
    ...(updateCheckout === undefined ? [] : [`--${updateCheckout ? "" : "no-"}update-checkout`]),
    ...wordsOf(options),
  ];
  const { outputFile } = await startInSession(
    { io, store, settings: await store.settings() },
    { name, words: ["epic", "run", epicId, ...words] },
  );
  return {
    json: { epic: epicId, session: name, outputFile },
    text: (paint) =>
      [
        `${paint("green", "●")} ${paint("bold", epicId)} is being worked through.`,
        `  session  ${name}`,
        `  output   ${plain(outputFile)}`,
        "",
        `Look into it with \`saga attach ${epicId}\` or \`${attachCommand(name).join(" ")}\`;`,
        `\`saga epic stop ${epicId}\` ends it.`,
        "When it ends with stories left, what it said stays in that file until `saga clean`.",
        "",
      ].join("\n"),
  };
}

const GRACE_MS = 10_000;

export type EpicStop = "not-running" | "stopped" | "elsewhere" | "slow";

/** Politely: it gives its lease back, and leaves its stories to their own workers. */
export async function endEpicRun(store: Store, epicId: string): Promise<EpicStop> {
  const lease = await store.leases.read(epicLease(epicId));
  if (lease?.life !== "alive") return "not-running";
  if (livenessOf(lease.record) !== "alive") return "elsewhere";
  process.kill(lease.record.pid, "SIGTERM");
  for (const deadline = Date.now() + GRACE_MS; Date.now() < deadline; await wait(50)) {
    if (livenessOf(lease.record) === "dead") return "stopped";
  }
  return "slow";
}

export async function stopEpic(
  { openProject }: CommandContext,
  given: string,
): Promise<CommandResult> {
  const epicId = requireId("epic", given);
  const store = openProject();
  await store.readEpic(epicId);
  const end = await endEpicRun(store, epicId);
  switch (end) {
    case "elsewhere":
      throw new SagaError(
        "in-use",
        `The run of ${epicId} is on another machine, or in a container.`,
        { hint: "End it there." },
      );
    case "slow":
      throw new SagaError("program-failed", `The run of ${epicId} does not end.`, {
        hint: "It may be merging a story; try again in a moment.",
      });
    case "stopped":
    case "not-running":
      return stopped(epicId, end === "stopped");
  }
}

const stopped = (epicId: string, wasRunning: boolean): CommandResult => ({
  json: { epic: epicId, wasRunning },
  text: () =>
    wasRunning
      ? `The run of ${epicId} has ended. Stories that are being worked on go on.\n`
      : `The epic ${epicId} is not being run.\n`,
});
