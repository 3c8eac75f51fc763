import { readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { connect as connectSocket } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  connect,
  isSnapshot,
  quietEnv,
  startTestDashboard,
} from "../../../test/support/dashboard.ts";
import { projectWith } from "../../../test/support/one-story.ts";
import { openText, readAddress } from "./address.ts";
import { aStory, aTask, type Project } from "../../../test/support/project.ts";

const withStory = (): Project => projectWith(aStory("add-login"), aTask("form"));

/** Sends raw text, and returns everything until the connection closes. */
const sendRaw = (port: number, words: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let answer = "";
    const socket = connectSocket(port, "127.0.0.1", () => socket.write(words));
    socket.on("data", (data) => (answer += data.toString()));
    socket.on("error", reject);
    socket.on("close", () => resolve(answer));
  });

/** Resets the connection, like a browser tab that is closed during a request. */
const sendAndReset = (port: number, words: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connectSocket(port, "127.0.0.1", () => {
      socket.write(words, () => {
        socket.resetAndDestroy();
        resolve();
      });
    });
    socket.on("error", reject);
  });

describe("signing in", () => {
  it("turns the key in the address into a cookie, and removes it from the address", async () => {
    const { ask, key, port } = await startTestDashboard(withStory());
    const first = await ask(`/story/add-login?tab=log&key=${key}`, {
      headers: { Host: `127.0.0.1:${port}` },
    });
    expect(first.status).toBe(303);
    expect(first.headers.location).toBe("/story/add-login?tab=log");
    expect(first.headers["set-cookie"]?.[0]).toMatch(/HttpOnly; SameSite=Strict/);
    const [cookie = ""] = first.headers["set-cookie"]?.[0]?.split(";") ?? [];
    expect((await ask("/api/ping", { headers: { Cookie: cookie } })).status).toBe(200);
  });

  it("accepts a ticket made with the key, once and for a minute: every user can read a command line", async () => {
    const clock = { ms: Date.now() };
    const more = { now: () => clock.ms };
    const { ask, dashboard, port } = await startTestDashboard(withStory(), more);
    const { address } = dashboard;
    const path = (text: string): string => text.slice(`http://127.0.0.1:${port}`.length);
    const first = path(openText(address, clock.ms));
    expect(first).not.toContain(address.key);
    // A HEAD request does not use it up.
    await ask(first, { method: "HEAD" });
    const { status, headers } = await ask(first);
    expect([status, headers.location]).toEqual([303, "/"]);
    const [cookie = ""] = headers["set-cookie"]?.[0]?.split(";") ?? [];
    expect((await ask("/api/ping", { headers: { Cookie: cookie } })).status).toBe(200);
    expect((await ask(first)).status).toBe(401);
    expect((await ask(first, { headers: { Cookie: cookie } })).status).toBe(303);
    const late = path(openText(address, clock.ms + 1));
    clock.ms += 61_000;
    expect((await ask(late)).status).toBe(401);
    const forged = path(openText({ ...address, key: "x".repeat(43) }, clock.ms));
    expect((await ask(forged)).status).toBe(401);
    // A ticket for ten years.
    expect((await ask(path(openText(address, clock.ms + 3.2e11)))).status).toBe(401);
  });

  it("reveals nothing without the key: no story, no key, no token", async () => {
    const { ask, key } = await startTestDashboard(withStory());
    const answers = await Promise.all(
      [
        "/",
        "/?key=wrong",
        "/api/ping",
        "/api/story/add-login",
        "/%61pi/story/add-login",
        "/api/live",
        "/api/none",
      ].map((path) => ask(path)),
    );
    const text = JSON.stringify(answers);
    expect(text).not.toContain(key);
    expect(text).not.toContain("Title of add-login");
    expect(answers.slice(1).map(({ status }) => status)).toEqual(Array(6).fill(401));
  });

  it("listens only on 127.0.0.1", async () => {
    const { port } = await startTestDashboard(withStory());
    const other = createServer();
    onTestFinished(() => void other.close());
    // Fails if the dashboard listens on all addresses.
    const isFree = await new Promise<boolean>((resolve) => {
      other.once("error", () => resolve(false));
      other.listen(port, "127.0.0.2", () => resolve(true));
    });
    expect(isFree).toBe(true);
  });

  it("keeps its port and key over a restart", async () => {
    const project = withStory();
    const first = await startTestDashboard(project);
    await first.dashboard.close();
    const again = await startTestDashboard(project);
    expect([again.port, again.key]).toEqual([first.port, first.key]);
    expect(readAddress(quietEnv(project), project.path)?.key).toBe(first.key);
  });

  it("uses another port if its own is taken", async () => {
    const project = withStory();
    const first = await startTestDashboard(project);
    const again = await startTestDashboard(project);
    expect(again.port).not.toBe(first.port);
  });
});

describe("foreign requests", () => {
  it("are refused with another Host: an attacker can point a name at this machine", async () => {
    const { ask, own, port } = await startTestDashboard(withStory());
    for (const host of ["evil.example", `evil.example:${port}`, "127.0.0.1", `[::1]:${port}`]) {
      const { status } = await ask("/api/story/add-login", { headers: { ...own, Host: host } });
      expect(status, host).toBe(403);
    }
  });

  it("are refused if another page sends an action", async () => {
    const { ask, own, port } = await startTestDashboard(withStory());
    const client = await connect(port, own);
    const { token } = await client.first(isSnapshot);
    client.close();
    const body = { act: "stop", story: "add-login" };
    const post = (headers: Record<string, string>) =>
      ask("/api/act", { method: "POST", headers, body }).then(({ status }) => status);
    expect(await post({ ...own, Origin: "http://evil.example", "x-saga-token": token })).toBe(403);
    expect(await post({ Cookie: own["Cookie"] ?? "", "x-saga-token": token })).toBe(403);
    expect(await post(own)).toBe(403);
    expect(await post({ Origin: own["Origin"] ?? "", "x-saga-token": token })).toBe(401);
  });

  it("get no WebSocket from another page or without the cookie", async () => {
    const { own, port } = await startTestDashboard(withStory());
    await expect(connect(port, { ...own, Origin: "http://evil.example" })).rejects.toThrow("403");
    await expect(connect(port, { Cookie: own["Cookie"] ?? "" })).rejects.toThrow("403");
    await expect(connect(port, { Origin: own["Origin"] ?? "" })).rejects.toThrow("401");
    await expect(connect(port, { ...own, Host: "evil.example" })).rejects.toThrow("403");
  });

  it("get the security headers with every response", async () => {
    const { ask, own } = await startTestDashboard(withStory());
    for (const path of ["/", "/api/ping", "/api/none", "/assets/index-1a2b.js"]) {
      const { headers } = await ask(path, { headers: own });
      expect(headers["content-security-policy"], path).toContain("default-src 'none'");
      expect(headers["x-content-type-options"]).toBe("nosniff");
      expect(headers["referrer-policy"]).toBe("no-referrer");
    }
    expect((await ask("/api/ping", { headers: own })).headers["cache-control"]).toBe("no-store");
  });

  it("get the same headers if they cannot be parsed or get no WebSocket", async () => {
    const { port } = await startTestDashboard(withStory());
    const host = `Host: 127.0.0.1:${port}`;
    const upgrade = `Connection: Upgrade\r\nUpgrade: websocket`;
    for (const words of [
      "no request at all",
      "GET / HTTP/1.1\r\nConnection: close",
      `GET /\\evil HTTP/1.1\r\n${host}\r\nConnection: close`,
      `GET /api/live HTTP/1.1\r\n${host}\r\n${upgrade}`,
    ]) {
      const answer = await sendRaw(port, `${words}\r\n\r\n`);
      expect(answer, words).toMatch(/^HTTP\/1\.1 4/);
      expect(answer.toLowerCase(), words).toContain("content-security-policy: default-src 'none'");
    }
  });

  it("are refused with a message if they have no Host header, also with HTTP/1.0", async () => {
    const { port, own } = await startTestDashboard(withStory());
    const cookie = `Cookie: ${own["Cookie"]}`;
    for (const words of [
      "GET / HTTP/1.0",
      "GET / HTTP/1.0\r\nHost:",
      `GET /api/story/add-login HTTP/1.0\r\n${cookie}`,
      `GET http://127.0.0.1:${port}/api/story/add-login HTTP/1.0\r\n${cookie}`,
      `GET /api/story/add-login HTTP/1.1\r\nConnection: close\r\n${cookie}`,
    ]) {
      const answer = await sendRaw(port, `${words}\r\n\r\n`);
      expect(answer, words).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer, words).toContain("The request has no Host header.");
    }
    const upgrade = "GET /api/live HTTP/1.0\r\nConnection: Upgrade\r\nUpgrade: websocket";
    expect(await sendRaw(port, `${upgrade}\r\n${cookie}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 400 /);
  });

  it("are refused with 413 and a message if the body is too large", async () => {
    const { ask, own, port } = await startTestDashboard(withStory());
    const client = await connect(port, own);
    const { token } = await client.first(isSnapshot);
    client.close();
    const headers = { ...own, "x-saga-token": token };
    const body = { act: "reject", story: "add-login", why: "x".repeat(300 * 1024) };
    for (const more of [{}, { "Transfer-Encoding": "chunked" }]) {
      const options = { method: "POST", headers: { ...headers, ...more }, body };
      const { status, text } = await ask("/api/act", options);
      expect([status, JSON.parse(text)]).toEqual([
        413,
        { message: "The request is larger than 256 kB.", hint: "Shorten the text." },
      ]);
    }
  });

  it("cannot crash the dashboard by disconnecting", async () => {
    const { port, ask } = await startTestDashboard(withStory());
    const head = `GET /api/live HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`;
    for (let time = 0; time < 50; time++) await sendAndReset(port, head);
    expect((await ask("/")).status).toBe(200);
  });
});

it("writes its key to a file that only the user can read", async () => {
  const project = withStory();
  await startTestDashboard(project);
  const folder = join(project.path, "../state/saga/dashboard");
  const [name = ""] = readdirSync(folder);
  expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(readFileSync(join(folder, name), "utf8")).toContain('"key"');
});
