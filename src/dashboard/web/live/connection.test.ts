import type { AddressInfo } from "node:net";
import { WebSocket as NodeSocket, WebSocketServer } from "ws";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { FromPage, ToPage } from "../../protocol/messages.ts";
import { connect, delayBefore, type ConnectionOptions } from "./connection.ts";

// Node has a WebSocket only from version 22 on; the page uses the browser's.
beforeAll(() => Object.assign(globalThis, { WebSocket: NodeSocket }));

describe("the connection", () => {
  it("reconnects by itself when it is lost", async () => {
    const { server, events } = await newConnection();
    await events.until("open");
    for (const client of server.clients) client.terminate();
    await events.until("lost");
    await events.until("open");
    expect(events.names).toEqual(["open", "lost", "open"]);
  });

  it("replaces a socket that looks open but does not answer", async () => {
    const { connection, server, events } = await newConnection({ answerWithinMs: 30 });
    await events.until("open");
    connection.check();
    await events.until("lost");
    await events.until("open");
    expect(server.clients.size).toBeLessThanOrEqual(2);
  });

  it("keeps a socket that answers", async () => {
    const { connection, server, events } = await newConnection({ answerWithinMs: 5000 });
    server.on("connection", answerWithChange);
    for (const client of server.clients) answerWithChange(client);
    await events.until("open");
    connection.check();
    await events.until("change");
    expect(events.names).not.toContain("lost");
  });

  it("sends messages", async () => {
    const { connection, server, events } = await newConnection();
    const received = new Promise<FromPage>((resolve) => {
      const listen = (client: NodeSocket): void =>
        void client.on("message", (data: Buffer) =>
          resolve(JSON.parse(data.toString()) as FromPage),
        );
      server.on("connection", listen);
      for (const client of server.clients) listen(client);
    });
    await events.until("open");
    connection.send({ type: "snapshot" });
    expect(await received).toEqual({ type: "snapshot" });
  });
});

it("waits longer each time, up to a limit, with a random part", () => {
  const delays = [0, 1, 2, 3, 10].map((attempt) => delayBefore(attempt, 1));
  expect(delays).toEqual([250, 500, 1000, 2000, 8000]);
  expect(delayBefore(0, 0)).toBe(125);
});

function answerWithChange(client: NodeSocket): void {
  const change: ToPage = { type: "change", sequence: 1, changes: [] };
  client.on("message", () => client.send(JSON.stringify(change)));
}

async function newConnection(more: Partial<ConnectionOptions> = {}) {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  const events = newEvents();
  const connection = connect({
    open: () => new WebSocket(`ws://127.0.0.1:${port}`),
    onOpen: () => events.add("open"),
    onLost: () => events.add("lost"),
    onMessage: ({ type }) => events.add(type),
    random: () => 0,
    ...more,
  });
  onTestFinished(async () => {
    connection.close();
    for (const client of server.clients) client.terminate();
    await new Promise((resolve) => server.close(resolve));
  });
  return { server, connection, events };
}

/** Records events, and waits for the next one of a kind. */
function newEvents() {
  const names: string[] = [];
  let read = 0;
  let onAdded = (): void => undefined;
  return {
    names,
    add(event: string): void {
      names.push(event);
      onAdded();
    },
    until: (event: string): Promise<void> =>
      new Promise((resolve) => {
        onAdded = () => {
          const at = names.indexOf(event, read);
          if (at === -1) return;
          read = at + 1;
          onAdded = () => undefined;
          resolve();
        };
        onAdded();
      }),
  };
}
