// A worker's file in the daemon's folder, which other processes read.

import { thisProcess } from "../../machine/processes/process-id.ts";
import { writeWorker, type WorkerFile } from "../../tasks/daemon-files.ts";
import type { PoolWorker } from "../task/context.ts";

/** The time of the last tool call is not written at every call. */
const WRITE_EVERY_MS = 2_000;

type Post = Pick<PoolWorker, "name" | "folder" | "session" | "now">;

/** Changes are written at once, except the time of the last tool call. */
export function newStatus(post: Post): { readonly report: PoolWorker["report"] } {
  const at = (): string => new Date(post.now()).toISOString();
  let file: WorkerFile = {
    worker: post.name,
    process: thisProcess(),
    session: post.session,
    state: "starting",
    since: at(),
  };
  let writtenMs = 0;
  const write = (): void => {
    writtenMs = post.now();
    writeWorker(post.folder, file);
  };
  write();
  return {
    report(change) {
      const isChange = Object.keys(change).some((name) => name !== "lastToolAt");
      const isNewState = change.state !== undefined && change.state !== file.state;
      file = { ...file, ...change, ...(isNewState && { since: at() }) };
      if (isChange || post.now() - writtenMs > WRITE_EVERY_MS) write();
    },
  };
}
