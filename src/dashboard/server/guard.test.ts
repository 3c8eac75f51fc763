import { describe, expect, it } from "vitest";
import { cookieName, cookieText, HEADERS, isSame, judge, type Asked } from "./guard.ts";

const secrets = { port: 21_000, key: "the-key", token: "the-token" };
const own: Asked = {
  method: "GET",
  kind: "data",
  host: "127.0.0.1:21000",
  origin: undefined,
  cookie: `${cookieName(21_000)}=the-key`,
  token: undefined,
};
const origin = "http://127.0.0.1:21000";
const post: Asked = { ...own, method: "POST", origin, token: "the-token" };
const live: Asked = { ...own, kind: "live", origin };

const verdict = (asked: Asked): number => {
  const judged = judge(asked, secrets);
  return judged.isAllowed ? 200 : judged.status;
};

describe("what is let in", () => {
  it.each<[what: string, asked: Asked]>([
    ["a request for data with the cookie", own],
    ["the same by the other name of this machine", { ...own, host: "localhost:21000" }],
    ["the same from the page itself", { ...own, origin }],
    ["a HEAD", { ...own, method: "HEAD" }],
    ["other cookies beside it", { ...own, cookie: `a=b; ${own.cookie ?? ""}; c=d` }],
    ["the page's files, without a cookie", { ...own, kind: "page", cookie: undefined }],
    ["a change with cookie, origin and token", post],
    ["a WebSocket of the page", live],
    [
      "one by the other name",
      { ...live, host: "localhost:21000", origin: "http://localhost:21000" },
    ],
  ])("%s", (_, asked) => {
    expect(verdict(asked)).toBe(200);
  });
});

describe("what is refused", () => {
  it.each<[what: string, status: number, asked: Asked]>([
    ["no Host at all", 400, { ...own, host: undefined }],
    ["a name that resolves here, of an attacker's", 403, { ...own, host: "evil.example:21000" }],
    ["the right name with another port", 403, { ...own, host: "127.0.0.1:80" }],
    ["the right name without a port", 403, { ...own, host: "127.0.0.1" }],
    ["a name that begins like ours", 403, { ...own, host: "127.0.0.1:21000.evil.example" }],
    ["another way to write the address", 403, { ...own, host: "[::1]:21000" }],
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
    ["the other name's page", 403, { ...own, origin: "http://localhost:21000" }],
    ["a server on another port", 403, { ...live, origin: "http://127.0.0.1:3000" }],
    ["the same over https", 403, { ...live, origin: "https://127.0.0.1:21000" }],
    ["a WebSocket that says no origin", 403, { ...live, origin: undefined }],
    ["a WebSocket of another page", 403, { ...live, origin: "http://evil.example" }],
    ["a WebSocket without a cookie", 401, { ...live, cookie: undefined }],
    ["a change of another page", 403, { ...post, origin: "http://evil.example" }],
    ["a change that says no origin", 403, { ...post, origin: undefined }],
    ["a change without a token", 403, { ...post, token: undefined }],
    ["a change with a wrong token", 403, { ...post, token: "other" }],
    ["a change with the key for a token", 403, { ...post, token: "the-key" }],
    ["a change without a cookie", 401, { ...post, cookie: undefined }],
    ["a change of a page's file", 405, { ...post, kind: "page" }],
    ["any other method", 405, { ...post, method: "DELETE" }],
    ["a preflight, so that no other page may send a header", 405, { ...own, method: "OPTIONS" }],
  ])("%s", (_, status, asked) => {
    expect(verdict(asked)).toBe(status);
  });

  it("says neither key nor token when it refuses", () => {
    const judged = JSON.stringify([
      judge({ ...own, cookie: undefined }, secrets),
      judge({ ...post, token: "x" }, secrets),
    ]);
    expect(judged).not.toMatch(/the-key|the-token/);
  });
});

it("compares secrets of any length", () => {
  expect(isSame("abc", "abc")).toBe(true);
  expect(isSame("abcd", "abc")).toBe(false);
  expect(isSame("", "abc")).toBe(false);
  expect(isSame(undefined, "abc")).toBe(false);
});

it("keeps the cookie from scripts and from other sites", () => {
  expect(cookieText(21_000, "k")).toMatch(/HttpOnly/);
  expect(cookieText(21_000, "k")).toMatch(/SameSite=Strict/);
});

it("lets no script run that is not one of the page's own files", () => {
  const policy = HEADERS["Content-Security-Policy"] ?? "";
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self'");
  expect(policy).not.toMatch(/script-src[^;]*unsafe/);
  expect(policy).toContain("frame-ancestors 'none'");
});
