import { once } from "node:events";
import { appendFileSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { newProject } from "../../../test/support/project.ts";
import { serveClient } from "./clients.ts";
import { newLiveEntities } from "../project/entities.ts";
import type { ToPage } from "../protocol/messages.ts";

const MESSAGE = "x".repeat(100_000);

/** A page over a real connection, which can stop reading like a sleeping machine. */
async function connected() {
  const entities = newLiveEntities();
  const output = { file: "", listener: (_lane: string): void => undefined };
  const project = {
    folder: "/nowhere",
    entities,
    onLog: () => () => undefined,
    onOutput(listener: (lane: string) => void) {
      output.listener = listener;
      return () => undefined;
    },
    outputFile: (lane: string) => (lane === "here.main" ? output.file : undefined),
  };
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
  return { entities, socket, messages, until, unread, output };
}

it("buffers at most a few megabytes for a sleeping page, and sends it a snapshot when it wakes", async () => {
  const { entities, socket, messages, until, unread } = await connected();
  socket.pause();
  let most = 0;
  for (let round = 1; round <= 400; round++) {
    entities.put("problems", "one", { file: "a.json", message: `${round} ${MESSAGE}` });
    entities.flush();
    most = Math.max(most, unread());
    // Lets the connection send what it can.
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(most).toBeLessThan(9_000_000);
  socket.resume();
  const isLast = (one: ToPage | undefined): boolean =>
    one?.type === "snapshot" && one.entities.problems["one"]?.message.startsWith("400 ") === true;
  await until(() => isLast(messages.at(-1)));

  // Each change has the next number, or follows a snapshot.
  let sequence = 0;
  for (const message of messages) {
    if (message.type === "snapshot") sequence = message.sequence;
    if (message.type !== "change") continue;
    expect(message.sequence).toBe(sequence + 1);
    sequence = message.sequence;
  }
  expect(sequence).toBe(400);
});

it("sends the output of a lane's check to a page that follows it", async () => {
  const { socket, messages, until, output } = await connected();
  output.file = join(newProject().path, "output.log");
  writeFileSync(output.file, "one\n");
  for (const lane of ["here.gone", "here.main"]) {
    socket.send(JSON.stringify({ type: "follow-output", lane }));
  }
  await until(() => messages.length === 2);
  appendFileSync(output.file, "two\n");
  output.listener("here.main");
  await until(() => messages.length === 3);
  expect(messages.slice(1)).toEqual([
    { type: "output", lane: "here.main", isStart: true, text: "one\n" },
    { type: "output", lane: "here.main", isStart: false, text: "two\n" },
  ]);
  socket.close();
});
