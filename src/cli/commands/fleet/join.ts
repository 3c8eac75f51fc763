import { messageOf, SagaError } from "../../../errors.ts";
import { connectionText } from "../../../fleet/engine/connection-probe.ts";
import type { Exchange } from "../../../fleet/records/exchange-runs.ts";
import { startHeartbeat } from "../../../store/leases/heartbeat.ts";
import type { Store } from "../../../store/store.ts";
import { requirePushRights } from "../../../repo/sharing/push-rights.ts";
import { cleanSharedRefs } from "../../clean/shared-refs.ts";
import { logLine, memberActions } from "../../fleet/member-actions.ts";
import { openFollowingLook } from "../../fleet/follow-discards.ts";
import { openFleetOf } from "../../fleet/open-fleet.ts";
import { programVersion } from "../../fleet/program-version.ts";
import { count } from "../../../text/plural.ts";
import type { CommandContext, CommandResult } from "../../program/command.ts";
import { requireAgentProgram } from "../../start/require-startable.ts";

interface Options {
  readonly slots: number;
  readonly labels?: readonly string[];
}

const LOOK_EVERY_MS = 3_000;
/** Every machine keeps the records of runs itself. */
const KEEP_DAYS = 30;

export async function join(
  context: CommandContext,
  _: string[],
  { slots, labels: given }: Options,
): Promise<CommandResult> {
  const labels = given ?? [];
  if (given?.length === 0) {
    throw new SagaError("usage", "--labels names no label.", {
      hint: "Without --labels the machine takes all stories.",
    });
  }
  const { io, openProject } = context;
  const store = openProject();
  const settings = await store.settings();
  await requireAgentProgram(settings, io, store.project);
  const fleet = await openFleetOf({ project: store.project, env: io.env }, settings, (state) =>
    logLine(io, connectionText(state)),
  );
  const { repository, machine, root, machines } = fleet;
  await requirePushRights(repository);
  const stop = io.untilStopped();
  const { startMembership } = await import("../../../fleet/member/membership.ts");
  const membership = await startMembership(fleet);
  if ("heldBy" in membership) {
    throw new SagaError(
      "in-use",
      `${machine} has already joined (process ${membership.heldBy.pid}).`,
      {
        hint: "For a second clone on one machine, set SAGA_FLEET_MACHINE to a name of its own.",
      },
    );
  }
  try {
    await machines.join({ name: machine, slots, labels, version: programVersion() });
    const exchange = fleet.openExchange(store);
    const onProblem = (sentence: string): void => logLine(io, sentence);
    const elsewhere = openFollowingLook({ store, repository, env: io.env, fleet, onProblem });
    const actions = memberActions({ context, store, settings, repository, elsewhere, fleet });
    const which = labels.length === 0 ? "" : `, for stories with ${labels.join(" or ")}`;
    actions.log(`${machine} joined ${fleet.fleet} with ${count(slots, "slot")}${which}`);
    await sendOldRuns(store, exchange);
    await fleet.records.removeOlderThan(KEEP_DAYS);
    // What a member left that died between landing a story and this. It is not needed for the work.
    const cleaning = { store, env: io.env, isDryRun: false, repository };
    await cleanSharedRefs(cleaning).catch((error: unknown) => actions.log(messageOf(error)));
    const looking = startHeartbeat(LOOK_EVERY_MS, elsewhere.lookIfChanged);
    const { joinFleet } = await import("../../../fleet/member/join.ts");
    await joinFleet({
      machine,
      root,
      slots,
      labels,
      machines,
      actions,
      stop,
      openJobs: () => fleet.openJobs({ supervise: true }),
    }).finally(() => clearInterval(looking));
    actions.log(`${machine} left ${fleet.fleet}`);
  } finally {
    await membership.release();
    await fleet.close();
  }
  return { json: { fleet: fleet.fleet, machine }, text: () => "" };
}

/** What workers of this machine could not send before they died. */
async function sendOldRuns(store: Store, { send }: Exchange): Promise<void> {
  const { stories } = await store.overview();
  for (const id of stories.keys()) await send(id);
}
