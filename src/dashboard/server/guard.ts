// Who may ask what. Pure: a request is judged by its words alone, before anything is done for it.
//
//   Host     must be this server's own. A name that an attacker's server resolves to 127.0.0.1 is another.
//   Origin   must be this server's own when it is sent; WebSockets and changes must send it. A page in
//            another tab cannot forge it.
//   cookie   proves that the browser was once given the printed address, or a ticket made with its key.
//   token    for changes, besides: it is only told to whoever could open the WebSocket.
//
// The page's own files hold no secret: they need the right Host and nothing else.

import { timingSafeEqual, createHash, createHmac } from "node:crypto";

export interface Asked {
  readonly method: string;
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

export function judge(asked: Asked, { port, key, token }: Secrets): AccessVerdict {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  if (asked.host === undefined || asked.host === "") {
    return no(400, "The request has no Host header.");
  }
  if (!hosts.includes(asked.host)) {
    return no(403, "The Host header is not the dashboard's address.");
  }
  const isReading = asked.method === "GET" || asked.method === "HEAD";
  if (!isReading && (asked.method !== "POST" || asked.kind !== "data")) {
    return no(405, "Method not allowed.");
  }
  const mustSayOrigin = !isReading || asked.kind === "live";
  // The same name that it was asked under: each is an origin of its own to the browser.
  const isOwnOrigin = asked.origin === `http://${asked.host}`;
  if (asked.origin === undefined ? mustSayOrigin : !isOwnOrigin) {
    return no(403, "Requests from another origin are not allowed.");
  }
  if (asked.kind === "page") return ALLOWED;
  if (!isSame(cookieOf(asked.cookie, port), key)) {
    return no(401, "Open the address that `saga dashboard` prints.");
  }
  if (!isReading && !isSame(asked.token, token)) {
    return no(403, "The page is outdated. Reload it.");
  }
  return ALLOWED;
}

const no = (status: 400 | 401 | 403 | 405, message: string): AccessVerdict => ({
  isAllowed: false,
  status,
  message,
});

/** The same time for every wrong answer: nothing is learned from how long it takes. */
export function isSame(given: string | undefined, secret: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return given !== undefined && timingSafeEqual(digest(given), digest(secret));
}

/** So long may a browser take to start. */
const TICKET_MS = 60_000;

/** For a command line, which everybody on the machine can read, and which a browser keeps: good once, and for a minute. */
export function newTicket(key: string, nowMs: number): string {
  const until = String(nowMs + TICKET_MS);
  return `${until}.${createHmac("sha256", key).update(until).digest("base64url")}`;
}

export function isTicket(given: string, key: string, nowMs: number): boolean {
  const until = Number.parseInt(given, 10);
  const isInTime = until > nowMs && until <= nowMs + TICKET_MS;
  return isInTime && isSame(given, newTicket(key, until - TICKET_MS));
}

/** Named after the port: to a browser all ports of a machine share their cookies. */
export const cookieName = (port: number): string => `saga-dashboard-${port}`;

export const cookieText = (port: number, key: string): string =>
  `${cookieName(port)}=${key}; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000`;

function cookieOf(header: string | undefined, port: number): string | undefined {
  const prefix = `${cookieName(port)}=`;
  const own = header?.split(";").find((one) => one.trim().startsWith(prefix));
  return own?.trim().slice(prefix.length);
}

/** What every answer says to the browser. Scripts are the page's own files and nothing else. */
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
