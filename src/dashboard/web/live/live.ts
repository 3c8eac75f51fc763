// Connects the live parts: one socket feeds the store and the logs.

import type { PageAction, ActionResult } from "../../protocol/actions.ts";
import { connect } from "./connection.ts";
import { createDetails, type Details } from "./details.ts";
import { createLogStore, type LogStore } from "./log-store.ts";
import { createOutputStore, type OutputStore } from "./output-store.ts";
import { act, fetchJson, isLockedOut } from "./server.ts";
import { createStore, type PageStore } from "./store.ts";

export interface LiveConnection {
  readonly store: PageStore;
  readonly logs: LogStore;
  readonly outputs: OutputStore;
  readonly details: Details;
  readonly act: (action: PageAction) => Promise<ActionResult>;
}

/** Frames pause in a hidden tab, and redrawing with them. */
const nextFrame = (notify: () => void): void => void requestAnimationFrame(notify);

const folderOf = (store: PageStore): string | undefined =>
  store.entities().project["project"]?.folder;

export function startLive(): LiveConnection {
  const store = createStore(nextFrame);
  const logs = createLogStore((message) => connection.send(message), nextFrame);
  const outputs = createOutputStore((message) => connection.send(message), nextFrame);
  const details = createDetails(fetchJson);
  const connection = connect({
    open: () => new WebSocket(`${location.origin.replace(/^http/, "ws")}/api/live`),
    onOpen() {
      logs.followAgain();
      outputs.followAgain();
      details.refresh();
    },
    onLost() {
      if (store.connection() !== "locked") store.setConnection("lost");
      void isLockedOut().then((isLocked) => isLocked && store.setConnection("locked"));
    },
    onMessage(message) {
      if (message.type === "log") return logs.receive(message);
      if (message.type === "output") return outputs.receive(message);
      const before = folderOf(store);
      if (!store.receive(message)) return connection.send({ type: "snapshot" });
      // The port now belongs to the server of another project: the open page does not apply to it.
      if (before !== undefined && folderOf(store) !== before) return location.replace("/");
      store.setConnection("live");
    },
  });
  addEventListener("online", connection.check);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") connection.check();
  });
  return {
    store,
    logs,
    outputs,
    details,
    act: (action) => act(store.token(), action),
  };
}
