// What others see of a worker: its file in the daemon's folder.

import { thisProcess } from "../../machine/processes/process-id.ts";
import { writeWorker, type WorkerFile } from "../../tasks/daemon-files.ts";
import type { PoolWorker } from "../task/context.ts";

/** Files of whoever looks on are not written at every tool call. */
const SAY_EVERY_MS = 2_000;

type Post = Pick<PoolWorker, "name" | "folder" | "session" | "now">;

/** Signs of life are not written each time; the rest is, at once. */
export function newStatus(post: Post): { readonly say: PoolWorker["say"] } {
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
    say(change) {
      const isNews = Object.keys(change).some((name) => name !== "lastToolAt");
      const isMoved = change.state !== undefined && change.state !== file.state;
      file = { ...file, ...change, ...(isMoved && { since: at() }) };
      if (isNews || post.now() - writtenMs > SAY_EVERY_MS) write();
    },
  };
}
