// Serves the built page from a server that a test controls: the test sends changes and sees what the page did.
// It sends the security headers of the real server.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { WebSocketServer, type WebSocket } from "ws";
import { HEADERS } from "../../../src/dashboard/server/guard.ts";
import { readPage } from "../../../src/dashboard/server/page-files.ts";
import type { PageAction, ActionResult } from "../../../src/dashboard/protocol/actions.ts";
import type { StoryDetail, StoryDiff } from "../../../src/dashboard/protocol/details.ts";
import type {
  Entities,
  EntityChange,
  FromPage,
  ToPage,
} from "../../../src/dashboard/protocol/messages.ts";
import type { RunEvent } from "../../../src/story/state/run.ts";
import { detailOf, diffOf, timelineOf } from "./details.ts";
import { COSTS, foundIn } from "./costs-and-search.ts";
import { aShop } from "./fixture.ts";
import { eventsOf } from "./log.ts";
import { root } from "../programs.ts";

const TOKEN = "fixture-token";
const BYTES_PER_EVENT = 100;
const CHECK_OUTPUT = [
  "> bookshop@2.4.0 test",
  "> vitest run",
  "",
  " \u001B[32m✓\u001B[39m src/prices/tax.test.ts (14 tests)",
  " \u001B[32m✓\u001B[39m src/prices/round.test.ts (9 tests)",
  " \u001B[32m✓\u001B[39m src/accounts/hash.test.ts (6 tests)",
  "",
].join("\n");

export interface FixtureServer {
  readonly address: string;
  readonly actions: readonly PageAction[];
  readonly received: readonly FromPage[];
  answer: (action: PageAction) => ActionResult;
  /** Replaces the text of stories in the older format. */
  markdown?: string;
  /** Replaces the diff of every story. */
  diff?: StoryDiff;
  /** Overrides fields of a story's details. */
  detail?: Partial<StoryDetail>;
  /** Applies changes and sends them to every page. */
  readonly change: (...changes: EntityChange[]) => void;
  /** Applies changes without sending them, so that the next change has a gap. */
  readonly changeSilently: (...changes: EntityChange[]) => void;
  readonly log: (story: string, run: string, events: readonly RunEvent[]) => void;
  /** Sends output of a lane's check to the pages that follow it. */
  readonly output: (lane: string, text: string, isStart?: boolean) => void;
  readonly dropConnections: () => void;
  isReachable: boolean;
  readonly close: () => Promise<void>;
}

export async function startFixtureServer(
  entities: Entities = aShop(),
  events: readonly RunEvent[] = eventsOf(),
): Promise<FixtureServer> {
  const page = readPage(join(root, "dist/dashboard"));
  const actions: PageAction[] = [];
  const received: FromPage[] = [];
  const logs = new Map<string, RunEvent[]>();
  const known = structuredClone(entities);
  let sequence = 1;
  const server = createServer((request, response) => void serve(request, response));
  const sockets = new WebSocketServer({ noServer: true });
  server.on("upgrade", (request, socket, head) => {
    if (!fixture.isReachable) return void socket.destroy();
    sockets.handleUpgrade(request, socket, head, (client) => greet(client));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const fixture: FixtureServer = {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    actions,
    received,
    isReachable: true,
    answer: (action) => ({ isOk: true, text: `${action.act} is done.`, json: {} }),
    change(...changes) {
      apply(changes);
      for (const client of sockets.clients) send(client, { type: "change", sequence, changes });
    },
    changeSilently: (...changes) => apply(changes),
    log(story, run, more) {
      const from = logOf(story, run).length * BYTES_PER_EVENT;
      logOf(story, run).push(...more);
      const next = logOf(story, run).length * BYTES_PER_EVENT;
      for (const client of sockets.clients) {
        send(client, { type: "log", story, run, from, next, events: more });
      }
    },
    output(lane, text, isStart = false) {
      for (const client of sockets.clients) send(client, { type: "output", lane, isStart, text });
    },
    dropConnections() {
      for (const client of sockets.clients) client.terminate();
    },
    async close() {
      fixture.dropConnections();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return fixture;

  function apply(changes: readonly EntityChange[]): void {
    sequence += 1;
    for (const { kind, id, value } of changes) {
      const ofKind = known[kind] as Record<string, unknown>;
      if (value === null) delete ofKind[id];
      else ofKind[id] = value;
    }
  }

  function greet(client: WebSocket): void {
    const snapshot = (): void =>
      send(client, { type: "snapshot", sequence, entities: known, token: TOKEN, version: "0.1.0" });
    client.on("message", (data: Buffer) => {
      const message = JSON.parse(data.toString()) as FromPage;
      received.push(message);
      if (message.type === "snapshot") snapshot();
      if (message.type === "follow") follow(client, message);
      if (message.type === "follow-output") {
        send(client, { type: "output", lane: message.lane, isStart: true, text: CHECK_OUTPUT });
      }
    });
    snapshot();
  }

  function follow(client: WebSocket, { story, run, from }: Extract<FromPage, { type: "follow" }>) {
    const all = logOf(story, run);
    const next = all.length * BYTES_PER_EVENT;
    send(client, {
      type: "log",
      story,
      run,
      from,
      next,
      events: all.slice(from / BYTES_PER_EVENT),
    });
  }

  function logOf(story: string, run: string): RunEvent[] {
    const key = `${story}/${run}`;
    const log = logs.get(key) ?? [...events];
    logs.set(key, log);
    return log;
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!fixture.isReachable) return void request.destroy();
    const url = new URL(request.url ?? "/", "http://fixture");
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    if (url.pathname.startsWith("/api/")) {
      const answer = await answerOf(request, url);
      response.statusCode = answer === undefined ? 404 : 200;
      response.setHeader("content-type", "application/json");
      return void response.end(JSON.stringify(answer ?? { message: "Not found." }));
    }
    const file = page.files.get(url.pathname) ?? page.index;
    response.setHeader("content-type", file?.type ?? "text/plain");
    response.end(file?.content ?? "Run `npm run build` first.");
  }

  async function answerOf(request: IncomingMessage, url: URL): Promise<unknown> {
    const [, , resource, id = "", part] = url.pathname.split("/");
    if (resource === "ping") return { isRunning: true };
    if (resource === "timeline") return timelineOf();
    if (resource === "costs") return COSTS;
    if (resource === "search") return foundIn(url.searchParams.get("q") ?? "");
    if (resource === "act") return runAction(request);
    const story = known.stories[decodeURIComponent(id)];
    if (resource !== "story" || story === undefined) return undefined;
    return part === "diff"
      ? (fixture.diff ?? diffOf(url.searchParams.get("commit"), url.searchParams.get("since")))
      : withOverrides(detailOf(story));
  }

  function withOverrides(detail: StoryDetail): StoryDetail {
    const isReplaced = detail.markdown !== undefined && fixture.markdown !== undefined;
    const more = { ...fixture.detail, ...(isReplaced && { markdown: fixture.markdown }) };
    return { ...detail, ...more };
  }

  async function runAction(request: IncomingMessage): Promise<ActionResult> {
    if (request.headers["x-saga-token"] !== TOKEN) return { isOk: false, message: "Wrong token." };
    const action = JSON.parse(Buffer.concat(await request.toArray()).toString()) as PageAction;
    actions.push(action);
    return fixture.answer(action);
  }
}

const send = (client: WebSocket, message: ToPage): void => client.send(JSON.stringify(message));
