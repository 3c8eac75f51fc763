import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { serveClient } from "./clients.ts";
import { newLive } from "../project/entities.ts";
import type { ToPage } from "../protocol/messages.ts";

const MESSAGE = "x".repeat(100_000);

/** A page over a real connection, which can stop to read as a sleeping machine does. */
async function connected() {
  const live = newLive();
  const project = { folder: "/nowhere", live, onLog: () => () => undefined };
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  onTestFinished(() => {
    for (const one of server.clients) one.terminate();
    server.close();
  });
  server.on("connection", (socket) => serveClient(socket, project, { token: "t", version: "1" }));
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const socket = new WebSocket(`ws://127.0.0.1:${port}`);
  const messages: ToPage[] = [];
  let onMessage: () => void = () => undefined;
  socket.on("message", (data: Buffer) => {
    messages.push(JSON.parse(data.toString("utf8")) as ToPage);
    onMessage();
  });
  const until = (isSo: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      onMessage = () => isSo() && resolve();
      onMessage();
    });
  await until(() => messages.length === 1);
  const unread = (): number => Math.max(...[...server.clients].map((one) => one.bufferedAmount));
  return { live, socket, messages, until, unread };
}

it("keeps no more than a few megabytes for a page that sleeps, and sends it a snapshot when it wakes", async () => {
  const { live, socket, messages, until, unread } = await connected();
  socket.pause();
  let most = 0;
  for (let turn = 1; turn <= 400; turn++) {
    live.put("problems", "one", { file: "a.json", message: `${turn} ${MESSAGE}` });
    live.tell();
    most = Math.max(most, unread());
    // The connection takes what it can in between.
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(most).toBeLessThan(9_000_000);
  socket.resume();
  const isLast = (one: ToPage | undefined): boolean =>
    one?.type === "snapshot" && one.entities.problems["one"]?.message.startsWith("400 ") === true;
  await until(() => isLast(messages.at(-1)));

  // Whatever it was told has the next number, or comes after a snapshot.
  let sequence = 0;
  for (const message of messages) {
    if (message.type === "snapshot") sequence = message.sequence;
    if (message.type !== "change") continue;
    expect(message.sequence).toBe(sequence + 1);
    sequence = message.sequence;
  }
  expect(sequence).toBe(400);
});
