// A page without a browser: a WebSocket client of the shipped dashboard.

import { WebSocket } from "ws";
import { cookieName } from "../src/dashboard/server/guard.ts";
import type { FromPage, ToPage } from "../src/dashboard/protocol/messages.ts";
import type { ShippedDashboard } from "./large-project.ts";

export interface LiveClient {
  readonly send: (message: FromPage) => void;
  readonly onMessage: (listener: (message: ToPage) => void) => void;
  readonly close: () => void;
}

/** Resolves when it has received this many stories. */
export async function connect(
  { address, port }: Pick<ShippedDashboard, "address" | "port">,
  stories: number,
): Promise<LiveClient> {
  const key = new URL(address).searchParams.get("key") ?? "";
  const socket = new WebSocket(`ws://127.0.0.1:${port}/api/live`, {
    headers: { Cookie: `${cookieName(port)}=${key}`, Origin: `http://127.0.0.1:${port}` },
  });
  const listeners = new Set<(message: ToPage) => void>();
  await new Promise<void>((resolve) => {
    socket.on("message", (data: Buffer) => {
      const message = JSON.parse(data.toString("utf8")) as ToPage;
      if (message.type === "snapshot") {
        const shown = Object.keys(message.entities.stories).length;
        if (shown !== stories) throw new Error(`${shown} stories are shown, not ${stories}.`);
        resolve();
      }
      for (const listener of listeners) listener(message);
    });
  });
  return {
    send: (message) => socket.send(JSON.stringify(message)),
    onMessage: (listener) => void listeners.add(listener),
    close: () => socket.close(),
  };
}
