// The dashboard of a project, from its start to its end.

import type { Context } from "../context.ts";
import { randomBytes } from "node:crypto";
import { errorCode } from "../machine/files/files.ts";
import { SagaError } from "../errors.ts";
import { newActions } from "./server/run-action.ts";
import { newKey, portsFor, readAddress, writeAddress, type Address } from "./server/address.ts";
import { readDetail } from "./views/story-detail.ts";
import { readDiff } from "./views/diff.ts";
import { followProject } from "./project/follow-project.ts";
import { readPage } from "./server/page-files.ts";
import { newReceiptsMemory } from "./project/receipts-cache.ts";
import { startServer, type RunningServer, type Serving } from "./server/server.ts";
import { timelineOf } from "./views/timeline.ts";

export interface DashboardOrder extends Pick<Context, "store" | "env" | "now" | "stop"> {
  /** How to start Saga once more. */
  readonly program: readonly string[];
  /** Where the built page is. */
  readonly pageFolder: string;
  readonly version: string;
  readonly port: number | undefined;
  readonly onFault: (sentence: string) => void;
}

export interface Dashboard {
  readonly address: Address;
  /** Ends it and what it has started for someone; workers go on. */
  readonly close: () => Promise<void>;
}

export async function startDashboard(order: DashboardOrder): Promise<Dashboard> {
  const { store, env, now, stop, onFault, program } = order;
  const known = readAddress(env, store.project);
  const key = known?.key ?? newKey();
  const token = randomBytes(24).toString("base64url");
  const project = await followProject({ store, env, now, onFault });
  const receipts = newReceiptsMemory(store.project, { env, now });
  const around = { store, env, now, memory: project.memory, receipts };
  const serving: Omit<Serving, "secrets"> = {
    project,
    page: readPage(order.pageFolder),
    version: order.version,
    now,
    answers: {
      story: (id) => readDetail(around, id),
      diff: (id, commit) => readDiff(around, id, commit),
      timeline: (days) => timelineOf(project.memory.runs, days, now()),
      act: newActions({
        program,
        env,
        project: store.project,
        stop,
        isOwnSession: (name) => project.live.get("sessions", name)?.isHere === true,
      }),
    },
  };
  try {
    const ports = order.port === undefined ? portsFor(store.project, known?.port) : [order.port];
    const { server, port } = await startOn(ports, (chosen) =>
      startServer({ ...serving, secrets: { port: chosen, key, token } }),
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

/** The first that nobody has. */
async function startOn(
  ports: readonly number[],
  start: (port: number) => Promise<RunningServer>,
): Promise<{ server: RunningServer; port: number }> {
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
