// Serves connected pages. Each gets a snapshot, then changes, and the logs it follows. A page that stops reading,
// because its machine sleeps, gets nothing more until it has caught up; then it gets a new snapshot, and its logs
// continue where they were.

import type { WebSocket } from "ws";
import * as z from "zod";
import { parseJson } from "../../text/parse-json.ts";
import { layoutOf } from "../../store/project/layout.ts";
import { idProblem } from "../../story/definition/names.ts";
import { runId } from "../../story/state/run.ts";
import type { FollowedProject } from "../project/follow-project.ts";
import { followOutput, type OutputFollow } from "./follow-output.ts";
import { followLog, type LogFollow } from "./follow-log.ts";
import type { FromPage, ToPage } from "../protocol/messages.ts";

/** A page with more unread data is behind. A snapshot of a thousand stories is a fifth of this. */
const MAX_UNREAD_BYTES = 8_000_000;
const MAX_FOLLOWED = 200;
const PING_MS = 30_000;

const storyId = z.string().refine((id) => idProblem("story", id) === undefined);
const log = { story: storyId, run: runId };
const messageSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("snapshot") }),
  z.object({ type: z.literal("follow"), ...log, from: z.int().min(0) }),
  z.object({ type: z.literal("leave"), ...log }),
  z.object({ type: z.enum(["follow-output", "leave-output"]), lane: z.string().max(1000) }),
]) satisfies z.ZodType<FromPage>;

export interface ServerInfo {
  readonly token: string;
  readonly version: string;
}

type ServedProject = Pick<
  FollowedProject,
  "folder" | "entities" | "onLog" | "onOutput" | "outputFile"
>;

export function serveClient(socket: WebSocket, project: ServedProject, info: ServerInfo): void {
  const { entities, onLog, onOutput } = project;
  const followed = new Map<string, LogFollow>();
  const outputs = new Map<string, OutputFollow>();
  let isBehind = false;
  let isAlive = true;

  const sendSnapshot = (): void => {
    isBehind = false;
    send(entities.snapshot(info));
  };
  const send = (text: string): void =>
    socket.send(text, () => {
      if (socket.bufferedAmount > 0 || socket.readyState !== socket.OPEN) return;
      if (isBehind) sendSnapshot();
      for (const one of [...followed.values(), ...outputs.values()]) one.resume();
    });
  const leaveEntities = entities.join((message) => {
    if (socket.bufferedAmount > MAX_UNREAD_BYTES) isBehind = true;
    if (!isBehind) send(message);
  });
  const leaveLogs = onLog((story, run) => followed.get(`${story} ${run}`)?.read());
  const leaveOutputs = onOutput((lane) => outputs.get(lane)?.read());
  const pinging = setInterval(() => {
    if (!isAlive) socket.terminate();
    isAlive = false;
    socket.ping();
  }, PING_MS);
  socket.on("pong", () => (isAlive = true));

  const follow = ({ story, run, from }: Extract<FromPage, { type: "follow" }>): void => {
    followed.get(`${story} ${run}`)?.close();
    if (followed.size >= MAX_FOLLOWED) return;
    const file = `${layoutOf(project.folder).saga}/runs/${story}/${run}/events.jsonl`;
    const one = followLog(file, from, {
      // No buffer needed: lines that cannot be sent now stay in the file.
      canSend: () => socket.bufferedAmount === 0,
      onLines: (lines) => {
        const message: ToPage = { type: "log", story, run, ...lines };
        send(JSON.stringify(message));
      },
    });
    followed.set(`${story} ${run}`, one);
    one.read();
  };
  const followLane = (lane: string): void => {
    const file = project.outputFile(lane);
    if (file === undefined) return;
    const one = followOutput(file, {
      canSend: () => socket.bufferedAmount === 0,
      onOutput: (chunk) =>
        send(JSON.stringify({ type: "output", lane, ...chunk } satisfies ToPage)),
    });
    outputs.set(lane, one);
    one.read();
  };
  const leave = ({ story, run }: Extract<FromPage, { type: "leave" }>): void => {
    followed.get(`${story} ${run}`)?.close();
    followed.delete(`${story} ${run}`);
  };

  socket.on("message", (data: Buffer) => {
    const message = parse(data.toString("utf8"));
    switch (message?.type) {
      case "snapshot":
        return sendSnapshot();
      case "follow":
        return follow(message);
      case "leave":
        return leave(message);
      case "follow-output":
        return followLane(message.lane);
      case "leave-output":
        return void outputs.delete(message.lane);
      case undefined:
        // Not one of our pages.
        return socket.close(1008);
    }
  });
  socket.on("error", () => socket.terminate());
  socket.on("close", () => {
    clearInterval(pinging);
    leaveEntities();
    leaveLogs();
    leaveOutputs();
    for (const one of followed.values()) one.close();
  });
  sendSnapshot();
}

const parse = (text: string): FromPage | undefined => messageSchema.safeParse(parseJson(text)).data;
