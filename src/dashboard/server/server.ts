// The dashboard's server: the page's files, what it fetches, what it asks for, and its WebSocket. Every request
// is judged first. It listens on 127.0.0.1 and nowhere else.

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { createAdaptorServer } from "@hono/node-server";
import { Hono, type Context } from "hono";
import { WebSocketServer } from "ws";
import { messageOf, SagaError } from "../../errors.ts";
import { parseJson } from "../../text/parse-json.ts";
import { serveClient, type Welcome } from "./clients.ts";
import type { FollowedProject } from "../project/follow-project.ts";
import { cookieText, HEADERS, isSame, isTicket, judge, type Asked, type Secrets } from "./guard.ts";
import { ASSETS, type Page, type PageFile } from "./page-files.ts";
import type { Acted } from "../protocol/acts.ts";
import type { StoryDetail, StoryDiff, Timeline } from "../protocol/details.ts";
import type { ActionRefusal } from "../protocol/messages.ts";
import { readBody } from "./read-body.ts";

export interface Answers {
  readonly story: (id: string) => Promise<StoryDetail>;
  readonly diff: (id: string, commit: string | undefined) => Promise<StoryDiff>;
  readonly timeline: (days: number) => Timeline;
  readonly act: (act: unknown) => Promise<Acted>;
}

export interface Serving {
  readonly project: FollowedProject;
  readonly page: Page;
  readonly secrets: Secrets;
  readonly answers: Answers;
  readonly version: string;
  readonly now: () => number;
}

export interface RunningServer {
  readonly close: () => Promise<void>;
}

const MAX_MESSAGE_BYTES = 64 * 1024;
const MAX_ACT_BYTES = 256 * 1024;

export async function startServer(serving: Serving): Promise<RunningServer> {
  const { secrets, project, version } = serving;
  const server = createAdaptorServer({
    fetch: newApp(serving).fetch,
    // Requests without a Host header reach the guard, which refuses them with a message.
    hostname: "127.0.0.1",
    // Node's own refusal would say nothing of how it may be used.
    serverOptions: { requireHostHeader: false },
  }) as Server;
  // Before anything can answer: also what is refused before it is understood says how it may be used.
  server.prependListener("request", (_, response: ServerResponse) => {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
  });
  server.on("clientError", (_, socket: Duplex) => refuse(socket, 400));
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES });
  const welcome: Welcome = { token: secrets.token, version };
  server.on("upgrade", (request, socket, head) => {
    const verdict = judge(askedByUpgrade(request), secrets);
    if (!verdict.isAllowed) return refuse(socket, verdict.status);
    sockets.handleUpgrade(request, socket, head, (client) => serveClient(client, project, welcome));
  });
  await listen(server, secrets.port);
  return {
    close: async () => {
      for (const client of sockets.clients) client.terminate();
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      });
    },
  };
}

/** An error when the port is taken: whoever chose it chooses another. */
const listen = (server: Server, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      server.off("error", reject);
      resolve();
    });
  });

function newApp({ page, secrets, answers, now }: Serving): Hono {
  const app = new Hono();
  const usedTickets = new Set<string>();
  const isKey = (name: string, given: string): boolean => {
    if (name === "key") return isSame(given, secrets.key);
    if (!isTicket(given, secrets.key, now()) || usedTickets.has(given)) return false;
    usedTickets.add(given);
    return true;
  };
  app.use(async (context, next) => {
    const verdict = judge(askedBy(context), secrets);
    if (verdict.isAllowed) await next();
    else context.res = refusal(verdict.status, { message: verdict.message });
  });
  app.onError((error) => {
    const hint = error instanceof SagaError ? error.hint : undefined;
    return refusal(statusOf(error), { message: messageOf(error), hint });
  });
  app.get("/api/ping", (context) => context.json({ isRunning: true }));
  app.get("/api/story/:id", async (context) =>
    context.json(await answers.story(context.req.param("id"))),
  );
  app.get("/api/story/:id/diff", async (context) =>
    context.json(await answers.diff(context.req.param("id"), context.req.query("commit"))),
  );
  app.get("/api/timeline", (context) =>
    context.json(answers.timeline(Number(context.req.query("days") ?? 7))),
  );
  app.post("/api/act", async (context) => {
    const body = await readBody(context.req.raw, MAX_ACT_BYTES);
    return body === undefined ? tooLarge() : context.json(await answers.act(parseJson(body)));
  });
  app.all("/api/*", () => refusal(404, { message: "Not found." }));
  app.get("*", (context) => wayIn(context, secrets, isKey) ?? pageAnswer(context, page));
  return app;
}

/** The key in the address, or a ticket made with it, becomes a cookie, once, and leaves the address. */
function wayIn(
  context: Context,
  secrets: Secrets,
  isKey: (name: string, given: string) => boolean,
): Response | undefined {
  const url = new URL(context.req.url);
  const name = ["key", "ticket"].find((one) => url.searchParams.has(one));
  if (name === undefined || context.req.method !== "GET") return undefined;
  const isGood = isKey(name, url.searchParams.get(name) ?? "");
  // A ticket that is used up does not keep out a browser that has the cookie.
  const isIn = name === "ticket" && judge({ ...askedBy(context), kind: "data" }, secrets).isAllowed;
  if (!isGood && !isIn) {
    return refusal(401, {
      message: `The ${name} is invalid${name === "key" ? "" : ", expired or already used"}.`,
      hint: "Open the address that `saga dashboard` prints.",
    });
  }
  url.searchParams.delete(name);
  const headers = {
    // One slash: with two, the rest would be another server's name.
    Location: `${url.pathname.replace(/^\/+/, "/")}${url.search}`,
    "Set-Cookie": cookieText(secrets.port, secrets.key),
  };
  return new Response(null, { status: 303, headers });
}

function pageAnswer(context: Context, page: Page): Response {
  const url = new URL(context.req.url);
  const file = page.files.get(url.pathname);
  if (file) return fileAnswer(file);
  // Of another version: a page in its place would be taken for a script.
  if (url.pathname.startsWith(ASSETS)) return refusal(404, { message: "File not found." });
  // Every other path is a page of the application.
  if (page.index) return fileAnswer(page.index);
  return new Response("The dashboard's page is not built. Run `npm run build`.\n", {
    status: 503,
    headers: { "Content-Type": "text/plain; charset=utf-8" },
  });
}

const fileAnswer = ({ content, type, isForEver }: PageFile): Response =>
  new Response(new Uint8Array(content), {
    headers: {
      "Content-Type": type,
      "Cache-Control": isForEver ? "public, max-age=31536000, immutable" : "no-cache",
    },
  });

const tooLarge = (): Response =>
  refusal(413, {
    message: `The request is larger than ${MAX_ACT_BYTES / 1024} kB.`,
    hint: "Shorten the text.",
  });

const refusal = (status: number, body: ActionRefusal): Response => Response.json(body, { status });

function statusOf(error: unknown): number {
  if (!(error instanceof SagaError)) return 500;
  switch (error.code) {
    case "bad-id":
    case "usage":
      return 400;
    case "not-found":
      return 404;
    default:
      return 500;
  }
}

const askedBy = ({ req }: Context): Asked => ({
  method: req.method,
  kind: req.path.startsWith("/api/") ? "data" : "page",
  host: req.header("host"),
  origin: req.header("origin"),
  cookie: req.header("cookie"),
  token: req.header("x-saga-token"),
});

const askedByUpgrade = ({ url, headers }: IncomingMessage): Asked => ({
  method: url === "/api/live" ? "GET" : "CONNECT",
  kind: "live",
  host: headers.host,
  origin: headers.origin,
  cookie: headers.cookie,
  token: undefined,
});

/** Where no request was made of it: then its socket is ours, and so is what goes wrong with it. */
function refuse(socket: Duplex, status: number): void {
  // One that is gone already, before or while it is answered, must not end the dashboard.
  socket.on("error", () => socket.destroy());
  if (!socket.writable) return void socket.destroy();
  const headers = { ...HEADERS, Connection: "close", "Content-Length": "0" };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} Refused\r\n${lines.join("")}\r\n`);
}
