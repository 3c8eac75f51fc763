import type { Command } from "commander";
import { messageOf } from "../../../errors.ts";
import type { FleetView } from "../../../fleet/view/read-fleet.ts";
import type { Store } from "../../../store/store.ts";
import { fleetWorkText } from "../../../story/state/fleet-work.ts";
import { count } from "../../../text/plural.ts";
import type {
  Build,
  CommandBuilder,
  CommandContext,
  CommandResult,
} from "../../program/command.ts";
import { listOption } from "../../program/list-option.ts";
import { wholeNumber } from "../../program/parse-number.ts";
import { openFollowingLook } from "../../fleet/follow-discards.ts";
import { openFleetOf } from "../../fleet/open-fleet.ts";
import { demo } from "./demo.ts";
import { initFleet } from "./init.ts";
import { join } from "./join.ts";
import { leave } from "./leave.ts";
import { renderMachines, renderStatus } from "./render.ts";

export const build: Build = (builder) => {
  const fleet = builder.command("fleet", "Share the backlog with other machines.", [
    "saga fleet init --name shop     once, by one person",
    "saga fleet join --slots 3       on every machine that works on stories",
    "saga epic run user-auth --fleet --merge",
    "saga fleet status",
  ]);
  const add = (command: Command): void => void fleet.addCommand(command);
  add(
    builder.action(
      builder
        .command("init", "Set up a fleet for this project, in a PostgreSQL database.", [
          "SAGA_FLEET_URL=postgres://saga:…@db.example.com/saga saga fleet init --name shop",
          "saga fleet init --grant saga_member     also give a database role the rights of a member",
        ])
        .option("--name <name>", "the fleet's name (default: the project's folder)")
        .option("--grant <role>", "a database role that gets the rights of a member"),
      initFleet,
    ),
  );
  add(
    builder.action(
      builder
        .command(
          "join",
          "Work on ready stories of the fleet until Ctrl-C or SIGTERM, which let running stories finish first.",
          ["saga fleet join --slots 3", "saga fleet join --labels gpu,web"],
        )
        .option("--slots <number>", "number of stories to work on at once", wholeNumber(1), 1)
        .addOption(listOption("--labels <labels...>", "only stories with one of these labels")),
      join,
    ),
  );
  add(
    looking(
      builder,
      "status",
      "Show the machines, and which one works on which story.",
      async (opened, store, io) => {
        // From then on, `saga list`, `saga show` and `saga logs` know what other machines did.
        const { repository } = opened;
        const onProblem = (sentence: string): void => io.writeError(`${sentence}\n`);
        await openFollowingLook({ store, repository, env: io.env, fleet: opened, onProblem })
          .look()
          .catch((error: unknown) =>
            onProblem(`Stories of other machines may be out of date: ${messageOf(error)}`),
          );
        const { readFleet } = await import("../../../fleet/view/read-fleet.ts");
        const view = await readFleet(opened);
        const unmerged = await unmergedOf(store, view);
        return {
          json: { ...view, unmerged },
          text: (paint) => renderStatus(view, unmerged, paint),
        };
      },
    ),
  );
  add(
    looking(builder, "machines", "List the fleet's machines.", async (opened) => {
      const machines = await opened.machines.list();
      return { json: { machines }, text: (paint) => renderMachines(machines, paint) };
    }),
  );
  add(
    builder.action(
      builder
        .command("drain", "Let a machine finish its stories and leave. It takes no new ones.", [
          "saga fleet drain build-3",
        ])
        .argument("<machine>", "the machine"),
      (context, [machine = ""]) =>
        withFleet(context, async (opened) => {
          await opened.machines.drain(machine);
          return {
            json: { machine, isDraining: true },
            text: (paint) => `${paint("green", "✓")} ${machine} takes no new stories\n`,
          };
        }),
    ),
  );
  add(
    builder.action(
      builder.command("leave", "Let this machine finish its stories and leave the fleet.", [
        "saga fleet leave",
      ]),
      (context) => withFleet(context, (opened) => leave(opened)),
    ),
  );
  add(
    builder.action(
      builder.command(
        "sync",
        "Rebuild the fleet's queue from git, for example after the database was lost.",
        ["saga fleet sync"],
      ),
      (context) =>
        withFleet(context, async (opened) => {
          const { syncFleet } = await import("./sync.ts");
          const synced = await syncFleet(context, opened);
          const { queued, epics, parked, gone, cleaned, left } = synced;
          return {
            json: synced,
            text: (paint) =>
              [
                `${paint("green", "✓")} Queued ${count(queued.length, "story", "stories")} of ${count(epics.length, "epic")}\n`,
                ...parked.map(
                  ({ story, why }) =>
                    `${story} is not queued: ${fleetWorkText({ queue: "parked", parked: why, isSilent: false })}\n`,
                ),
                ...(parked.length > 0 ? ["`saga fleet status` shows what you can do\n"] : []),
                ...gone.map((story) => `dropped  ${story}: it was removed from the project\n`),
                ...cleaned.map((what) => `removed  ${what}\n`),
                ...left.map((sentence) => `${paint("yellow", sentence)}\n`),
              ].join(""),
          };
        }),
    ),
  );
  add(
    builder.action(
      builder.command(
        "demo",
        "Show a fleet of three machines, one of which is killed. Needs no database, and spends nothing.",
        ["saga fleet demo"],
      ),
      demo,
    ),
  );
  return fleet;
};

/** Stories that passed their gate on a machine, and that people merge. Git knows that, the queue does not. */
async function unmergedOf(store: Store, { stories }: FleetView): Promise<readonly string[]> {
  const done = stories.filter(({ queue, machine }) => queue === "done" && machine === undefined);
  const known = (await store.overview(new Set(done.map(({ story }) => story)))).stories;
  return done.map(({ story }) => story).filter((id) => known.get(id)?.state === "review");
}

type FleetAction = (
  fleet: Awaited<ReturnType<typeof openFleetOf>>,
  store: Store,
  io: CommandContext["io"],
) => Promise<CommandResult>;

const looking = (
  builder: CommandBuilder,
  name: string,
  about: string,
  read: FleetAction,
): Command =>
  builder.action(builder.command(name, about, [`saga fleet ${name}`]), (context) =>
    withFleet(context, read),
  );

async function withFleet(
  { io, openProject }: CommandContext,
  act: FleetAction,
): Promise<CommandResult> {
  const store = openProject();
  const fleet = await openFleetOf({ project: store.project, env: io.env }, await store.settings());
  try {
    return await act(fleet, store, io);
  } finally {
    await fleet.close();
  }
}
