// Starts and stops the dashboard of a project.

import type { Context } from "../context.ts";
import { randomBytes } from "node:crypto";
import { errorCode } from "../machine/files/files.ts";
import { SagaError } from "../errors.ts";
import { newActionRunner } from "./server/run-action.ts";
import { newKey, portsFor, readAddress, writeAddress, type Address } from "./server/address.ts";
import { readDetail } from "./views/story-detail.ts";
import { readCostsOf } from "./views/costs.ts";
import { readDiff } from "./views/diff.ts";
import { followProject, type FollowOptions } from "./project/follow-project.ts";
import { readPage } from "./server/page-files.ts";
import { startServer, type ServerOptions } from "./server/server.ts";
import { searchProject } from "../store/search/search.ts";
import { readSessions } from "./views/sessions.ts";
import { timelineOf } from "./views/timeline.ts";

/** The palette shows no more. */
const MAX_HITS = 30;

export interface DashboardOptions extends Pick<Context, "store" | "env" | "now" | "stop"> {
  /** The command that starts Saga. */
  readonly program: readonly string[];
  /** The folder of the built page. */
  readonly pageFolder: string;
  readonly version: string;
  readonly port: number | undefined;
  readonly onError: (message: string) => void;
  readonly readFleet?: FollowOptions["readFleet"];
}

export interface Dashboard {
  readonly address: Address;
  /** Stops the server and the commands it runs. Workers keep running. */
  readonly close: () => Promise<void>;
}

export async function startDashboard(options: DashboardOptions): Promise<Dashboard> {
  const { store, env, now, stop, onError, program } = options;
  const known = readAddress(env, store.project);
  const key = known?.key ?? newKey();
  const token = randomBytes(24).toString("base64url");
  const project = await followProject({ store, env, now, onError, readFleet: options.readFleet });
  const context = { store, env, now, cache: project.cache, receipts: project.receipts };
  const serverOptions: Omit<ServerOptions, "secrets"> = {
    project,
    page: readPage(options.pageFolder),
    version: options.version,
    now,
    handlers: {
      story: (id) => readDetail(context, id),
      diff: (id, part) => readDiff(context, id, part),
      timeline: (days) => timelineOf(project.cache.runs, days, now()),
      costs: (days) => readCostsOf(context, days),
      search: (text) => searchProject(store, text, { maxHits: MAX_HITS, stop }),
      act: newActionRunner({
        program,
        env,
        project: store.project,
        stop,
        // Asks tmux: the page's list may be older.
        isOwnSession: async (name) =>
          (await readSessions(env, store.project)).get(name)?.isHere === true,
      }),
    },
  };
  try {
    const ports =
      options.port === undefined ? portsFor(store.project, known?.port) : [options.port];
    const { server, port } = await startOn(ports, (chosen) =>
      startServer({ ...serverOptions, secrets: { port: chosen, key, token } }),
    );
    const address = { project: store.project, port, key };
    writeAddress(env, address);
    return {
      address,
      close: async () => {
        await server.close();
        await project.close();
      },
    };
  } catch (error) {
    await project.close();
    throw error;
  }
}

/** Starts on the first free port. */
export async function startOn<S>(
  ports: readonly number[],
  start: (port: number) => Promise<S>,
): Promise<{ server: S; port: number }> {
  for (const port of ports) {
    try {
      return { server: await start(port), port };
    } catch (error) {
      if (errorCode(error) !== "EADDRINUSE" && errorCode(error) !== "EACCES") throw error;
    }
  }
  throw new SagaError("in-use", `No usable port: tried ${ports.join(", ")}.`, {
    hint: "Choose another one: `saga dashboard --port <port>`",
  });
}
