import { expect, it } from "vitest";
import type { DaemonView } from "../../tasks/daemon-files.ts";
import { deadSessions } from "./known-sessions.ts";

const worker = (session: string | undefined, life: string) => ({ session, life });
const view = (session: string | undefined, life: string, ...workers: ReturnType<typeof worker>[]) =>
  ({ daemon: { session }, life, workers }) as unknown as DaemonView;

it("the output of dead daemons and workers can be deleted, that of others not", () => {
  const daemons = [
    view("d1", "dead", worker("w1", "dead"), worker("w2", "alive")),
    view("d2", "alive", worker("w3", "dead")),
    view(undefined, "dead", worker(undefined, "dead")),
    view("d3", "unknown", worker("w4", "unknown")),
  ];
  expect(deadSessions(daemons)).toEqual(["d1", "w1", "w3"]);
});
