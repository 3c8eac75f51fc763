// A door on loopback in front of a server: what passes it can be dropped, or held without an answer, as a broken
// network does.

import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { onTestFinished } from "vitest";

export interface TcpGate {
  readonly port: number;
  /**
   * `drop`: connections break, and new ones are refused. `hold`: nothing passes, and nothing breaks. `forget`: nothing
   * passes on the present connections, without an error; new ones work.
   */
  readonly cut: (how: "drop" | "hold" | "forget") => void;
  readonly restore: () => void;
}

/** `host`: where it listens. */
export async function newTcpGate(targetPort: number, host = "127.0.0.1"): Promise<TcpGate> {
  const sockets = new Set<Socket>();
  let state: "open" | "drop" | "hold" = "open";
  const server = createServer((near) => {
    if (state === "drop") return void near.destroy();
    const far = connect(targetPort, "127.0.0.1");
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on("error", () => to.destroy());
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
      if (state === "hold") from.pause();
    }
  }).listen(0, host);
  await once(server, "listening");
  const destroyAll = (): void => sockets.forEach((socket) => socket.destroy());
  onTestFinished(() => {
    server.close();
    destroyAll();
  });
  return {
    port: (server.address() as AddressInfo).port,
    cut(how) {
      state = how === "forget" ? "open" : how;
      if (how === "drop") destroyAll();
      else sockets.forEach((socket) => socket.pause());
    },
    restore() {
      // What was held for long is dead on the other side.
      if (state === "hold") destroyAll();
      state = "open";
    },
  };
}
