// Decides which requests are allowed. Pure: it sees only the method and the headers.
//
//   Host     must be this server's own. A DNS name that an attacker points to 127.0.0.1 is refused.
//   Origin   must be this server's own if present; WebSockets and actions must send it. A page in
//            another tab cannot forge it.
//   cookie   proves that this browser once opened the printed address, or a ticket made with its key.
//   token    also required for actions: the server sends it only over the WebSocket.
//
// The page's files contain no secret: they only need the right Host.

import { timingSafeEqual, createHash, createHmac } from "node:crypto";

export interface RequestFacts {
  readonly method: string;
  /** `page`: its files. `data`: `/api/`. `live`: the WebSocket. */
  readonly kind: "page" | "data" | "live";
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly cookie: string | undefined;
  readonly token: string | undefined;
}

export interface Secrets {
  readonly port: number;
  readonly key: string;
  readonly token: string;
}

export type AccessVerdict =
  | { readonly isAllowed: true }
  | { readonly isAllowed: false; readonly status: 400 | 401 | 403 | 405; readonly message: string };

const ALLOWED: AccessVerdict = { isAllowed: true };

export function judge(request: RequestFacts, { port, key, token }: Secrets): AccessVerdict {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  if (request.host === undefined || request.host === "") {
    return refused(400, "The request has no Host header.");
  }
  if (!hosts.includes(request.host)) {
    return refused(403, "The Host header is not the dashboard's address.");
  }
  const isReading = request.method === "GET" || request.method === "HEAD";
  if (!isReading && (request.method !== "POST" || request.kind !== "data")) {
    return refused(405, "Method not allowed.");
  }
  const needsOrigin = !isReading || request.kind === "live";
  // With the same name as Host: to a browser, localhost and 127.0.0.1 are different origins.
  const isOwnOrigin = request.origin === `http://${request.host}`;
  if (request.origin === undefined ? needsOrigin : !isOwnOrigin) {
    return refused(403, "Requests from another origin are not allowed.");
  }
  if (request.kind === "page") return ALLOWED;
  if (!isSame(cookieOf(request.cookie, port), key)) {
    return refused(401, "Open the address that `saga dashboard` prints.");
  }
  if (!isReading && !isSame(request.token, token)) {
    return refused(403, "The page is outdated. Reload it.");
  }
  return ALLOWED;
}

const refused = (status: 400 | 401 | 403 | 405, message: string): AccessVerdict => ({
  isAllowed: false,
  status,
  message,
});

/** Takes the same time for every wrong value, so that timing reveals nothing. */
export function isSame(given: string | undefined, secret: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return given !== undefined && timingSafeEqual(digest(given), digest(secret));
}

/** How long a browser may take to start. */
const TICKET_MS = 60_000;

/**
 * For the command line of a browser, which every user of the machine can read, and for its history: valid once, for a
 * minute.
 */
export function newTicket(key: string, nowMs: number): string {
  const until = String(nowMs + TICKET_MS);
  return `${until}.${createHmac("sha256", key).update(until).digest("base64url")}`;
}

export function isTicket(given: string, key: string, nowMs: number): boolean {
  const until = Number.parseInt(given, 10);
  const isInTime = until > nowMs && until <= nowMs + TICKET_MS;
  return isInTime && isSame(given, newTicket(key, until - TICKET_MS));
}

/** Includes the port: browsers share cookies between all ports of a host. */
export const cookieName = (port: number): string => `saga-dashboard-${port}`;

export const cookieText = (port: number, key: string): string =>
  `${cookieName(port)}=${key}; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000`;

function cookieOf(header: string | undefined, port: number): string | undefined {
  const prefix = `${cookieName(port)}=`;
  const own = header?.split(";").find((one) => one.trim().startsWith(prefix));
  return own?.trim().slice(prefix.length);
}

/** Security headers of every response. Only the page's own files may run as scripts. */
export const HEADERS: Readonly<Record<string, string>> = {
  "Content-Security-Policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    // The graph places its nodes with style attributes.
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; "),
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cache-Control": "no-store",
};
