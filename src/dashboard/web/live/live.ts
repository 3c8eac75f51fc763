// Puts the live parts together: one socket feeds the store and the logs.

import type { PageAction, ActionResult } from "../../protocol/actions.ts";
import { connect } from "./connection.ts";
import { createDetails, type Details } from "./details.ts";
import { createLogBook, type LogBook } from "./log-book.ts";
import { act, fetchJson, isLockedOut } from "./server.ts";
import { createStore, type PageStore } from "./store.ts";

export interface LiveConnection {
  readonly store: PageStore;
  readonly logs: LogBook;
  readonly details: Details;
  readonly act: (what: PageAction) => Promise<ActionResult>;
}

/** Frames pause in a tab that nobody sees, and lookers-on with them. */
const nextFrame = (tell: () => void): void => void requestAnimationFrame(tell);

const folderOf = (store: PageStore): string | undefined =>
  store.entities().project["project"]?.folder;

export function startLive(): LiveConnection {
  const store = createStore(nextFrame);
  const logs = createLogBook((message) => connection.say(message), nextFrame);
  const details = createDetails(fetchJson);
  const connection = connect({
    open: () => new WebSocket(`${location.origin.replace(/^http/, "ws")}/api/live`),
    onOpen() {
      logs.followAgain();
      details.refresh();
    },
    onLost() {
      if (store.feed() !== "locked") store.setFeed("lost");
      void isLockedOut().then((isLocked) => isLocked && store.setFeed("locked"));
    },
    onMessage(message) {
      if (message.type === "log") return logs.receive(message);
      const before = folderOf(store);
      if (!store.receive(message)) return connection.say({ type: "snapshot" });
      // Another project's server has the port now: nothing that is open here is about it.
      if (before !== undefined && folderOf(store) !== before) return location.replace("/");
      store.setFeed("live");
    },
  });
  addEventListener("online", connection.check);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") connection.check();
  });
  return {
    store,
    logs,
    details,
    act: (what) => act(store.token(), what),
  };
}
