// The dashboard's server: the page's files, its data, its actions and its WebSocket. The guard checks every request
// first. Listens only on 127.0.0.1.

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { createAdaptorServer } from "@hono/node-server";
import { Hono, type Context } from "hono";
import { WebSocketServer } from "ws";
import { messageOf, SagaError } from "../../errors.ts";
import { parseJson } from "../../text/parse-json.ts";
import { serveClient, type ServerInfo } from "./clients.ts";
import type { FollowedProject } from "../project/follow-project.ts";
import {
  cookieText,
  HEADERS,
  isSame,
  isTicket,
  judge,
  type RequestFacts,
  type Secrets,
} from "./guard.ts";
import { ASSETS, type Page, type PageFile } from "./page-files.ts";
import type { ActionResult } from "../protocol/actions.ts";
import type { Costs, SearchAnswer, StoryDetail, StoryDiff, Timeline } from "../protocol/details.ts";
import type { DiffPart } from "../views/diff.ts";
import type { ErrorBody } from "../protocol/messages.ts";

export interface Handlers {
  readonly story: (id: string) => Promise<StoryDetail>;
  readonly diff: (id: string, part: DiffPart) => Promise<StoryDiff>;
  readonly timeline: (days: number) => Timeline;
  readonly costs: (days: number) => Promise<Costs>;
  readonly search: (text: string) => Promise<SearchAnswer>;
  readonly act: (body: unknown) => Promise<ActionResult>;
}

export interface ServerOptions {
  readonly project: FollowedProject;
  readonly page: Page;
  readonly secrets: Secrets;
  readonly handlers: Handlers;
  readonly version: string;
  readonly now: () => number;
}

export interface RunningServer {
  readonly close: () => Promise<void>;
}

const MAX_MESSAGE_BYTES = 64 * 1024;
const MAX_ACTION_BYTES = 256 * 1024;

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { secrets, project, version } = options;
  const server = createAdaptorServer({
    fetch: newApp(options).fetch,
    // Requests without a Host header reach the guard, which refuses them with a message.
    hostname: "127.0.0.1",
    // Node's own error response would lack the security headers.
    serverOptions: { requireHostHeader: false },
  }) as Server;
  // On every response, also to requests that are refused before they are parsed.
  server.prependListener("request", (_, response: ServerResponse) => {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
  });
  server.on("clientError", (_, socket: Duplex) => refuse(socket, 400));
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES });
  const info: ServerInfo = { token: secrets.token, version };
  server.on("upgrade", (request, socket, head) => {
    const verdict = judge(upgradeFacts(request), secrets);
    if (!verdict.isAllowed) return refuse(socket, verdict.status);
    sockets.handleUpgrade(request, socket, head, (client) => serveClient(client, project, info));
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

/** Rejects if the port is taken, so that the caller can try another one. */
const listen = (server: Server, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      server.off("error", reject);
      resolve();
    });
  });

function newApp({ page, secrets, handlers, now }: ServerOptions): Hono {
  const app = new Hono();
  const usedTickets = new Set<string>();
  const isValid = (name: string, given: string): boolean => {
    if (name === "key") return isSame(given, secrets.key);
    if (!isTicket(given, secrets.key, now()) || usedTickets.has(given)) return false;
    usedTickets.add(given);
    return true;
  };
  app.use(async (context, next) => {
    const verdict = judge(requestFacts(context), secrets);
    if (verdict.isAllowed) await next();
    else context.res = errorResponse(verdict.status, { message: verdict.message });
  });
  app.onError((error) => {
    const hint = error instanceof SagaError ? error.hint : undefined;
    return errorResponse(statusOf(error), { message: messageOf(error), hint });
  });
  app.get("/api/ping", (context) => context.json({ isRunning: true }));
  app.get("/api/story/:id", async (context) =>
    context.json(await handlers.story(context.req.param("id"))),
  );
  app.get("/api/story/:id/diff", async (context) =>
    context.json(
      await handlers.diff(context.req.param("id"), {
        commit: context.req.query("commit"),
        since: context.req.query("since"),
      }),
    ),
  );
  app.get("/api/timeline", (context) =>
    context.json(handlers.timeline(Number(context.req.query("days") ?? 7))),
  );
  app.get("/api/costs", async (context) =>
    context.json(await handlers.costs(Number(context.req.query("days") ?? 30))),
  );
  app.get("/api/search", async (context) =>
    context.json(await handlers.search(context.req.query("q") ?? "")),
  );
  app.post("/api/act", async (context) => {
    const body = await readBody(context.req.raw, MAX_ACTION_BYTES);
    return body === undefined ? tooLarge() : context.json(await handlers.act(parseJson(body)));
  });
  app.all("/api/*", () => errorResponse(404, { message: "Not found." }));
  app.get("*", (context) => signIn(context, secrets, isValid) ?? pageResponse(context, page));
  return app;
}

/** Turns the key or ticket in the address into a cookie, and redirects to the address without it. */
function signIn(
  context: Context,
  secrets: Secrets,
  isValid: (name: string, given: string) => boolean,
): Response | undefined {
  const url = new URL(context.req.url);
  const name = ["key", "ticket"].find((one) => url.searchParams.has(one));
  if (name === undefined || context.req.method !== "GET") return undefined;
  const isAccepted = isValid(name, url.searchParams.get(name) ?? "");
  // A used ticket does not lock out a browser that already has the cookie.
  const isSignedIn =
    name === "ticket" && judge({ ...requestFacts(context), kind: "data" }, secrets).isAllowed;
  if (!isAccepted && !isSignedIn) {
    return errorResponse(401, {
      message: `The ${name} is invalid${name === "key" ? "" : ", expired or already used"}.`,
      hint: "Open the address that `saga dashboard` prints.",
    });
  }
  url.searchParams.delete(name);
  const headers = {
    // One slash: two would make the rest the name of another server.
    Location: `${url.pathname.replace(/^\/+/, "/")}${url.search}`,
    "Set-Cookie": cookieText(secrets.port, secrets.key),
  };
  return new Response(null, { status: 303, headers });
}

function pageResponse(context: Context, page: Page): Response {
  const url = new URL(context.req.url);
  const file = page.files.get(url.pathname);
  if (file) return fileResponse(file);
  // An asset of another version: the browser would run the page as a script.
  if (url.pathname.startsWith(ASSETS)) return errorResponse(404, { message: "File not found." });
  // Every other path is a page of the application.
  if (page.index) return fileResponse(page.index);
  return new Response("The dashboard's page is not built. Run `npm run build`.\n", {
    status: 503,
    headers: { "Content-Type": "text/plain; charset=utf-8" },
  });
}

const fileResponse = ({ content, type, isImmutable }: PageFile): Response =>
  new Response(new Uint8Array(content), {
    headers: {
      "Content-Type": type,
      "Cache-Control": isImmutable ? "public, max-age=31536000, immutable" : "no-cache",
    },
  });

const tooLarge = (): Response =>
  errorResponse(413, {
    message: `The request is larger than ${MAX_ACTION_BYTES / 1024} kB.`,
    hint: "Shorten the text.",
  });

const errorResponse = (status: number, body: ErrorBody): Response =>
  Response.json(body, { status });

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

const requestFacts = ({ req }: Context): RequestFacts => ({
  method: req.method,
  kind: req.path.startsWith("/api/") ? "data" : "page",
  host: req.header("host"),
  origin: req.header("origin"),
  cookie: req.header("cookie"),
  token: req.header("x-saga-token"),
});

const upgradeFacts = ({ url, headers }: IncomingMessage): RequestFacts => ({
  method: url === "/api/live" ? "GET" : "CONNECT",
  kind: "live",
  host: headers.host,
  origin: headers.origin,
  cookie: headers.cookie,
  token: undefined,
});

/** For sockets outside Hono: unparsable requests and refused upgrades. Their errors are ours to handle. */
function refuse(socket: Duplex, status: number): void {
  // A client that disconnects while it is answered must not crash the dashboard.
  socket.on("error", () => socket.destroy());
  if (!socket.writable) return void socket.destroy();
  const headers = { ...HEADERS, Connection: "close", "Content-Length": "0" };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} Refused\r\n${lines.join("")}\r\n`);
}

/**
 * Reads the body of a request. Undefined if it is larger than the limit. A larger body is still read to its end: a
 * client that is sending would see a broken connection instead of the answer.
 */
async function readBody(request: Request, maxBytes: number): Promise<string | undefined> {
  if (request.body === null) return "";
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size <= maxBytes) chunks.push(chunk);
    else chunks.length = 0;
  }
  return size > maxBytes ? undefined : Buffer.concat(chunks).toString("utf8");
}
