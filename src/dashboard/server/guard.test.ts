import { describe, expect, it } from "vitest";
import { cookieName, cookieText, HEADERS, isSame, judge, type RequestFacts } from "./guard.ts";

const secrets = { port: 21_000, key: "the-key", token: "the-token" };
const own: RequestFacts = {
  method: "GET",
  kind: "data",
  host: "127.0.0.1:21000",
  origin: undefined,
  cookie: `${cookieName(21_000)}=the-key`,
  token: undefined,
};
const origin = "http://127.0.0.1:21000";
const post: RequestFacts = { ...own, method: "POST", origin, token: "the-token" };
const live: RequestFacts = { ...own, kind: "live", origin };

const statusOf = (request: RequestFacts): number => {
  const verdict = judge(request, secrets);
  return verdict.isAllowed ? 200 : verdict.status;
};

describe("allowed", () => {
  it.each<[name: string, request: RequestFacts]>([
    ["a request for data with the cookie", own],
    ["the same with localhost as Host", { ...own, host: "localhost:21000" }],
    ["the same from the page itself", { ...own, origin }],
    ["a HEAD", { ...own, method: "HEAD" }],
    ["other cookies beside it", { ...own, cookie: `a=b; ${own.cookie ?? ""}; c=d` }],
    ["the page's files, without a cookie", { ...own, kind: "page", cookie: undefined }],
    ["an action with cookie, origin and token", post],
    ["a WebSocket of the page", live],
    [
      "a WebSocket with localhost as Host",
      { ...live, host: "localhost:21000", origin: "http://localhost:21000" },
    ],
  ])("%s", (_, request) => {
    expect(statusOf(request)).toBe(200);
  });
});

describe("refused", () => {
  it.each<[name: string, status: number, request: RequestFacts]>([
    ["no Host", 400, { ...own, host: undefined }],
    [
      "an attacker's name that resolves to this machine",
      403,
      { ...own, host: "evil.example:21000" },
    ],
    ["the right name with another port", 403, { ...own, host: "127.0.0.1:80" }],
    ["the right name without a port", 403, { ...own, host: "127.0.0.1" }],
    ["a name that begins like ours", 403, { ...own, host: "127.0.0.1:21000.evil.example" }],
    ["the IPv6 address", 403, { ...own, host: "[::1]:21000" }],
    [
      "an attacker's Host for the page's files",
      403,
      { ...own, kind: "page", host: "evil.example" },
    ],
    ["data without a cookie", 401, { ...own, cookie: undefined }],
    ["data with a wrong cookie", 401, { ...own, cookie: `${cookieName(21_000)}=other` }],
    ["the cookie of another dashboard", 401, { ...own, cookie: `${cookieName(21_001)}=the-key` }],
    ["the start of the key", 401, { ...own, cookie: `${cookieName(21_000)}=the-k` }],
    ["data read by another page", 403, { ...own, origin: "http://evil.example" }],
    ["a sandboxed frame", 403, { ...own, origin: "null" }],
    ["the page at localhost, for 127.0.0.1", 403, { ...own, origin: "http://localhost:21000" }],
    ["a server on another port", 403, { ...live, origin: "http://127.0.0.1:3000" }],
    ["the same over https", 403, { ...live, origin: "https://127.0.0.1:21000" }],
    ["a WebSocket without an origin", 403, { ...live, origin: undefined }],
    ["a WebSocket of another page", 403, { ...live, origin: "http://evil.example" }],
    ["a WebSocket without a cookie", 401, { ...live, cookie: undefined }],
    ["an action from another page", 403, { ...post, origin: "http://evil.example" }],
    ["an action without an origin", 403, { ...post, origin: undefined }],
    ["an action without a token", 403, { ...post, token: undefined }],
    ["an action with a wrong token", 403, { ...post, token: "other" }],
    ["an action with the key as its token", 403, { ...post, token: "the-key" }],
    ["an action without a cookie", 401, { ...post, cookie: undefined }],
    ["a POST to a file of the page", 405, { ...post, kind: "page" }],
    ["any other method", 405, { ...post, method: "DELETE" }],
    ["a CORS preflight", 405, { ...own, method: "OPTIONS" }],
  ])("%s", (_, status, request) => {
    expect(statusOf(request)).toBe(status);
  });

  it("reveals neither key nor token", () => {
    const verdicts = JSON.stringify([
      judge({ ...own, cookie: undefined }, secrets),
      judge({ ...post, token: "x" }, secrets),
    ]);
    expect(verdicts).not.toMatch(/the-key|the-token/);
  });
});

it("compares secrets of any length", () => {
  expect(isSame("abc", "abc")).toBe(true);
  expect(isSame("abcd", "abc")).toBe(false);
  expect(isSame("", "abc")).toBe(false);
  expect(isSame(undefined, "abc")).toBe(false);
});

it("hides the cookie from scripts and other sites", () => {
  expect(cookieText(21_000, "k")).toMatch(/HttpOnly/);
  expect(cookieText(21_000, "k")).toMatch(/SameSite=Strict/);
});

it("allows only the page's own files as scripts", () => {
  const policy = HEADERS["Content-Security-Policy"] ?? "";
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self'");
  expect(policy).not.toMatch(/script-src[^;]*unsafe/);
  expect(policy).toContain("frame-ancestors 'none'");
});
