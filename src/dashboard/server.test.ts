import { appendFileSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { connect as connectSocket } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { connect, isSnapshot, quietEnv, startTestDashboard } from "../../test/support/dashboard.ts";
import { aStory, aTask, newProject, type Project } from "../../test/support/project.ts";
import { openStore } from "../store/file-store.ts";
import { layoutOf } from "../store/layout.ts";
import { openText, readAddress } from "./address.ts";
import type { ToPage } from "./protocol.ts";

/** As it stands, and what comes back until the other end has said all. */
const sayTo = (port: number, words: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let answer = "";
    const socket = connectSocket(port, "127.0.0.1", () => socket.write(words));
    socket.on("data", (data) => (answer += data.toString()));
    socket.on("error", reject);
    socket.on("close", () => resolve(answer));
  });

/** With a reset, as a browser's tab does that is closed in the middle of it. */
const goAway = (port: number, words: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connectSocket(port, "127.0.0.1", () => {
      socket.write(words, () => {
        socket.resetAndDestroy();
        resolve();
      });
    });
    socket.on("error", reject);
  });

function withStory(): Project {
  const project = newProject();
  project.write(".saga/stories/add-login/story.json", aStory("add-login"));
  project.write(".saga/stories/add-login/form.json", aTask("form"));
  return project;
}

describe("the way in", () => {
  it("turns the key of the address into a cookie, and leaves the address without it", async () => {
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

  it("takes a ticket made with the key, once and for a minute: a command line is read by everybody", async () => {
    const clock = { ms: Date.now() };
    const more = { now: () => clock.ms };
    const { ask, dashboard, port } = await startTestDashboard(withStory(), more);
    const { address } = dashboard;
    const path = (text: string): string => text.slice(`http://127.0.0.1:${port}`.length);
    const first = path(openText(address, clock.ms));
    expect(first).not.toContain(address.key);
    // Looking is not using.
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
    // Made for ten years.
    expect((await ask(path(openText(address, clock.ms + 3.2e11)))).status).toBe(401);
  });

  it("tells nothing without the key: not a story, not the key, not the token", async () => {
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
    const said = JSON.stringify(answers);
    expect(said).not.toContain(key);
    expect(said).not.toContain("Title of add-login");
    expect(answers.slice(1).map(({ status }) => status)).toEqual(Array(6).fill(401));
  });

  it("listens on 127.0.0.1 and nowhere else", async () => {
    const { port } = await startTestDashboard(withStory());
    const other = createServer();
    onTestFinished(() => void other.close());
    // Would be taken if it listened on all of them.
    const isFree = await new Promise<boolean>((resolve) => {
      other.once("error", () => resolve(false));
      other.listen(port, "127.0.0.2", () => resolve(true));
    });
    expect(isFree).toBe(true);
  });

  it("keeps port and key, in a file that only the user can read", async () => {
    const project = withStory();
    const first = await startTestDashboard(project);
    await first.dashboard.close();
    const again = await startTestDashboard(project);
    expect([again.port, again.key]).toEqual([first.port, first.key]);
    expect(readAddress(quietEnv(project), project.path)?.key).toBe(first.key);
  });

  it("takes another port when its own is taken", async () => {
    const project = withStory();
    const first = await startTestDashboard(project);
    const again = await startTestDashboard(project);
    expect(again.port).not.toBe(first.port);
  });
});

describe("requests of others", () => {
  it("are refused under another name: a name can be made to lead here", async () => {
    const { ask, own, port } = await startTestDashboard(withStory());
    for (const host of ["evil.example", `evil.example:${port}`, "127.0.0.1", `[::1]:${port}`]) {
      const { status } = await ask("/api/story/add-login", { headers: { ...own, Host: host } });
      expect(status, host).toBe(403);
    }
  });

  it("are refused when they come from another page, whatever they want to change", async () => {
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

  it("get no WebSocket: not another page, not without the cookie, not at another path", async () => {
    const { own, port } = await startTestDashboard(withStory());
    await expect(connect(port, { ...own, Origin: "http://evil.example" })).rejects.toThrow("403");
    await expect(connect(port, { Cookie: own["Cookie"] ?? "" })).rejects.toThrow("403");
    await expect(connect(port, { Origin: own["Origin"] ?? "" })).rejects.toThrow("401");
    await expect(connect(port, { ...own, Host: "evil.example" })).rejects.toThrow("403");
  });

  it("are told by every answer to keep it to themselves", async () => {
    const { ask, own } = await startTestDashboard(withStory());
    for (const path of ["/", "/api/ping", "/api/none", "/assets/index-1a2b.js"]) {
      const { headers } = await ask(path, { headers: own });
      expect(headers["content-security-policy"], path).toContain("default-src 'none'");
      expect(headers["x-content-type-options"]).toBe("nosniff");
      expect(headers["referrer-policy"]).toBe("no-referrer");
    }
    expect((await ask("/api/ping", { headers: own })).headers["cache-control"]).toBe("no-store");
  });

  it("are told the same when nothing of them is understood, and when they get no WebSocket", async () => {
    const { port } = await startTestDashboard(withStory());
    const host = `Host: 127.0.0.1:${port}`;
    const upgrade = `Connection: Upgrade\r\nUpgrade: websocket`;
    for (const words of [
      "no request at all",
      "GET / HTTP/1.1\r\nConnection: close",
      `GET /\\evil HTTP/1.1\r\n${host}\r\nConnection: close`,
      `GET /api/live HTTP/1.1\r\n${host}\r\n${upgrade}`,
    ]) {
      const answer = await sayTo(port, `${words}\r\n\r\n`);
      expect(answer, words).toMatch(/^HTTP\/1\.1 4/);
      expect(answer.toLowerCase(), words).toContain("content-security-policy: default-src 'none'");
    }
  });

  it("cannot end the dashboard by going away while they are refused", async () => {
    const { port, ask } = await startTestDashboard(withStory());
    const head = `GET /api/live HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`;
    for (let time = 0; time < 50; time++) await goAway(port, head);
    expect((await ask("/")).status).toBe(200);
  });
});

describe("the page", () => {
  it("is served for each of its addresses, and its files from a list", async () => {
    const { ask } = await startTestDashboard(withStory());
    for (const path of ["/", "/story/add-login", "/epic/x", "/no-such-file.js"]) {
      expect((await ask(path)).text, path).toContain("<title>Saga</title>");
    }
    // A page that is open still asks for the scripts of the version it came from.
    expect((await ask("/assets/index-9z8y.js")).status).toBe(404);
    const script = await ask("/assets/index-1a2b.js");
    expect(script.headers["content-type"]).toContain("text/javascript");
    expect(script.headers["cache-control"]).toContain("immutable");
  });

  it("is all that can be had: no path leads out of it", async () => {
    const project = withStory();
    project.write("secret.txt", "a secret");
    const { ask } = await startTestDashboard(project);
    for (const path of [
      "/../project/secret.txt",
      "/assets/../../project/secret.txt",
      "/%2e%2e/project/secret.txt",
      "/..%2fproject%2fsecret.txt",
      `/${project.path}/secret.txt`,
      "//etc/passwd",
    ]) {
      const { text } = await ask(path);
      expect(text, path).not.toContain("a secret");
      expect(text, path).not.toContain("root:");
    }
  });

  it("says in plain words when it is not built", async () => {
    const { ask } = await startTestDashboard(withStory(), { pageFolder: "/nowhere" });
    const { status, text, headers } = await ask("/");
    expect([status, headers["content-type"]]).toEqual([503, "text/plain; charset=utf-8"]);
    expect(text).toContain("not built");
  });
});

describe("ids", () => {
  it("are judged before they become a path", async () => {
    const { ask, own } = await startTestDashboard(withStory());
    for (const id of ["../../etc", "%2e%2e%2f", "a b", "-rf", "A", "x".repeat(200)]) {
      const story = `/api/story/${encodeURIComponent(id)}`;
      expect((await ask(story, { headers: own })).status, id).toBe(400);
      expect((await ask(`${story}/diff`, { headers: own })).status, id).toBe(400);
    }
    const commit = "/api/story/add-login/diff?commit=--output=/tmp/x";
    expect((await ask(commit, { headers: own })).status).toBe(400);
  });

  it("of stories that are not there are not found", async () => {
    const { ask, own } = await startTestDashboard(withStory());
    expect((await ask("/api/story/no-such", { headers: own })).status).toBe(404);
  });
});

describe("a page that is connected", () => {
  it("gets a snapshot, then changes with the next numbers, and a snapshot again when it asks", async () => {
    const project = withStory();
    const { port, own } = await startTestDashboard(project);
    const client = await connect(port, own);
    const { sequence, entities, version } = await client.first(isSnapshot);
    expect(version).toBe("1.2.3");
    expect(entities.stories["add-login"]?.state).toBe("ready");
    project.write(".saga/stories/add-login/form.json", aTask("form", { status: "in_progress" }));
    await client.until(() => JSON.stringify(client.messages).includes('"in_progress"'));
    const numbers = client.messages.flatMap((one) => (one.type === "change" ? one.sequence : []));
    expect(numbers).toEqual(numbers.map((_, at) => sequence + 1 + at));

    // As one that slept and finds a gap.
    client.send({ type: "snapshot" });
    await client.until(() => client.messages.filter(isSnapshot).length === 2);
    const again = client.messages.findLast(isSnapshot);
    expect(again?.entities.stories["add-login"]?.tasks[0]?.status).toBe("in_progress");
    expect(again?.sequence).toBeGreaterThanOrEqual(numbers.at(-1) ?? 0);
    client.close();
  });

  it("follows a log from where it was, over a connection that was lost", async () => {
    const project = withStory();
    const store = openStore(project.path);
    const log = await store.startRun("add-login");
    const { port, own } = await startTestDashboard(project);
    const at = new Date().toISOString();
    const say = (text: string): void => log.append({ at, type: "agent.said", text });
    const said = (messages: readonly ToPage[]): unknown[] =>
      messages.flatMap((one) =>
        one.type === "log" ? one.events.map((event) => event["text"]) : [],
      );
    say("one");
    const first = await connect(port, own);
    first.send({ type: "follow", story: "add-login", run: log.run.id, from: 0 });
    await first.until(() => said(first.messages).length === 1);
    say("two");
    await first.until(() => said(first.messages).length === 2);
    const next = Math.max(...first.messages.flatMap((one) => (one.type === "log" ? one.next : [])));
    first.close();
    say("three");
    const file = join(layoutOf(project.path).saga, `runs/add-login/${log.run.id}/events.jsonl`);
    appendFileSync(file, '{"at":"');
    const second = await connect(port, own);
    second.send({ type: "follow", story: "add-login", run: log.run.id, from: next });
    await second.until(() => said(second.messages).length === 1);
    appendFileSync(file, `${at}","type":"agent.said","text":"four"}\n`);
    await second.until(() => said(second.messages).length === 2);
    expect([...said(first.messages), ...said(second.messages)]).toEqual([
      "one",
      "two",
      "three",
      "four",
    ]);
    second.close();
    log.close();
  });

  it.each([
    { type: "follow", story: "../../etc", run: "20261115T214800123Z-1a2b3c", from: 0 },
    { type: "follow", story: "add-login", run: "../../../secret", from: 0 },
    { type: "follow", story: "add-login", run: "20261115T214800123Z-1a2b3c", from: -1 },
    { type: "anything" },
  ])("is let go when it is none of ours: %j", async (message) => {
    const { port, own } = await startTestDashboard(withStory());
    const client = await connect(port, own);
    client.send(message as never);
    await expect(client.closed).resolves.toBe(1008);
  });
});

it("writes the file with its key for the user alone", async () => {
  const project = withStory();
  await startTestDashboard(project);
  const folder = join(project.path, "../state/saga/dashboard");
  const [name = ""] = readdirSync(folder);
  expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(readFileSync(join(folder, name), "utf8")).toContain('"key"');
});
