import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  addressText,
  openText,
  readAddress,
  type Address,
} from "../../../dashboard/server/address.ts";
import { waitUntil } from "../../../machine/processes/timer.ts";
import { SagaError } from "../../../errors.ts";
import { readText } from "../../../machine/files/files.ts";
import { LEASE_TTL_MS, renewedLease } from "../../../store/leases/renew-lease.ts";
import type { CommandResult, Build, CommandContext } from "../../program/command.ts";
import { jsonText, painter, plain } from "../../output/terminal.ts";
import { dashboardAnswers, openInBrowser } from "../../viewer/browser.ts";
import { wholeNumber } from "../../program/parse-number.ts";

interface Options {
  readonly port?: number;
  readonly open?: boolean;
  readonly json?: boolean;
}

/** How long a dashboard that has just been started may take to publish its address. */
const START_MS = 5_000;

export const build: Build = (builder) =>
  builder.action(
    builder
      .command("dashboard", "Serve the web dashboard to this user on this machine, until Ctrl-C.", [
        "saga dashboard                 print its address, and run until Ctrl-C",
        "saga dashboard --open          also open it in the browser",
        "saga dashboard --port 8080",
      ])
      .option("--port <number>", "the port (default: one per project)", wholeNumber(1, 65_535))
      .option("--open", "open it in the browser"),
    async (context, _, options: Options) => {
      const store = context.openProject();
      const { lease } = await store.leases.acquire("dashboard", {
        owner: "saga dashboard",
        ttlMs: LEASE_TTL_MS,
      });
      if (!lease) return alreadyRunning(context, store.project, options);
      const own = renewedLease(lease);
      try {
        return await serve(context, options);
      } finally {
        await own.release();
      }
    },
  );

async function serve(context: CommandContext, options: Options): Promise<CommandResult> {
  const { io } = context;
  const stop = io.untilStopped();
  const { startDashboard } = await import("../../../dashboard/dashboard.ts");
  const { watchFleet } = await import("../../fleet/watch-fleet.ts");
  const store = context.openProject();
  const fleet = watchFleet({ project: store.project, env: io.env }, store);
  const place = dirname(io.program.at(-1) ?? "");
  const dashboard = await startDashboard({
    store,
    env: io.env,
    program: io.program,
    pageFolder: join(place, "../dashboard"),
    version: versionAt(place),
    port: options.port,
    now: Date.now,
    readFleet: fleet.read,
    stop,
    onError: (message) => io.writeError(`saga: ${plain(message)}\n`),
  });
  io.continueOnError();
  const { json, text } = addressResult(dashboard.address, false);
  io.writeOut(options.json ? jsonText(json) : text(painter(io.hasColour)));
  if (options.open) await openDashboard(context, dashboard.address);
  await new Promise<void>((resolve) => {
    if (stop.aborted) resolve();
    stop.addEventListener("abort", () => resolve(), { once: true });
  });
  await dashboard.close();
  await fleet.close();
  return { json: undefined, text: () => "" };
}

function addressResult(address: Address, wasRunning: boolean): CommandResult {
  const { port, project } = address;
  return {
    json: { address: addressText(address), port, project, wasRunning },
    text: (paint) =>
      [
        wasRunning ? "The dashboard is already running:" : "The dashboard is running:",
        `  ${paint("bold", addressText(address))}`,
        "Keep this address private: anyone who has it can run Saga as you.",
        ...(wasRunning ? [] : ["Press Ctrl-C to stop it; workers keep running."]),
        "",
      ].join("\n"),
  };
}

async function openDashboard({ io }: CommandContext, address: Address): Promise<void> {
  if (await openInBrowser(io, openText(address, Date.now()))) return;
  io.writeError("saga: Could not open a browser; open the address yourself.\n");
}

async function alreadyRunning(
  context: CommandContext,
  project: string,
  options: Options,
): Promise<CommandResult> {
  const { env } = context.io;
  let address: Address | undefined;
  const isThere = async (): Promise<boolean> => {
    address = readAddress(env, project);
    return address !== undefined && dashboardAnswers(address);
  };
  if ((await waitUntil(isThere, { maxMs: START_MS })) && address) {
    if (options.open) await openDashboard(context, address);
    return addressResult(address, true);
  }
  throw new SagaError("in-use", "The dashboard of this project is running but does not answer.", {
    hint: "Stop it with Ctrl-C in its terminal, and start it again.",
  });
}

/** From the package.json beside the program. */
function versionAt(folder: string): string {
  const file = join(folder, "../../package.json");
  if (!existsSync(file)) return "";
  return (JSON.parse(readText(file)) as { version: string }).version;
}
