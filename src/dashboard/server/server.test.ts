import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { connect, isSnapshot, startTestDashboard } from "../../../test/support/dashboard.ts";
import { projectWith } from "../../../test/support/one-story.ts";
import { aTask, aStory, type Project } from "../../../test/support/project.ts";
import { openStore } from "../../store/file-store.ts";
import { layoutOf } from "../../store/project/layout.ts";
import type { ToPage } from "../protocol/messages.ts";

const withStory = (): Project => projectWith(aStory("add-login"), aTask("form"));

describe("the page", () => {
  it("is served for every path that is not a file, and its files by name", async () => {
    const { ask } = await startTestDashboard(withStory());
    for (const path of ["/", "/story/add-login", "/epic/x", "/no-such-file.js"]) {
      expect((await ask(path)).text, path).toContain("<title>Saga</title>");
    }
    // An open page of an older version still asks for its scripts.
    expect((await ask("/assets/index-9z8y.js")).status).toBe(404);
    const script = await ask("/assets/index-1a2b.js");
    expect(script.headers["content-type"]).toContain("text/javascript");
    expect(script.headers["cache-control"]).toContain("immutable");
  });

  it("is all that is served: no path leads out of its folder", async () => {
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

  it("reports that it is not built", async () => {
    const { ask } = await startTestDashboard(withStory(), { pageFolder: "/nowhere" });
    const { status, text, headers } = await ask("/");
    expect([status, headers["content-type"]]).toEqual([503, "text/plain; charset=utf-8"]);
    expect(text).toContain("not built");
  });
});

describe("ids", () => {
  it("are validated before they become a path", async () => {
    const { ask, own } = await startTestDashboard(withStory());
    for (const id of ["../../etc", "%2e%2e%2f", "a b", "-rf", "A", "x".repeat(200)]) {
      const story = `/api/story/${encodeURIComponent(id)}`;
      expect((await ask(story, { headers: own })).status, id).toBe(400);
      expect((await ask(`${story}/diff`, { headers: own })).status, id).toBe(400);
    }
    const commit = "/api/story/add-login/diff?commit=--output=/tmp/x";
    expect((await ask(commit, { headers: own })).status).toBe(400);
  });

  it("of missing stories are not found", async () => {
    const { ask, own } = await startTestDashboard(withStory());
    expect((await ask("/api/story/no-such", { headers: own })).status).toBe(404);
  });
});

describe("a connected page", () => {
  it("gets a snapshot, then numbered changes, and another snapshot on request", async () => {
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

    // Like a page that slept and finds a gap.
    client.send({ type: "snapshot" });
    await client.until(() => client.messages.filter(isSnapshot).length === 2);
    const again = client.messages.findLast(isSnapshot);
    expect(again?.entities.stories["add-login"]?.tasks[0]?.status).toBe("in_progress");
    expect(again?.sequence).toBeGreaterThanOrEqual(numbers.at(-1) ?? 0);
    client.close();
  });

  it("continues a log at its offset after a lost connection", async () => {
    const project = withStory();
    const store = openStore(project.path);
    const log = await store.startRun("add-login");
    const { port, own } = await startTestDashboard(project);
    const at = new Date().toISOString();
    const append = (text: string): void => log.append({ at, type: "agent.said", text });
    const texts = (messages: readonly ToPage[]): unknown[] =>
      messages.flatMap((one) =>
        one.type === "log" ? one.events.map((event) => event["text"]) : [],
      );
    append("one");
    const first = await connect(port, own);
    first.send({ type: "follow", story: "add-login", run: log.run.id, from: 0 });
    await first.until(() => texts(first.messages).length === 1);
    append("two");
    await first.until(() => texts(first.messages).length === 2);
    const next = Math.max(...first.messages.flatMap((one) => (one.type === "log" ? one.next : [])));
    first.close();
    append("three");
    const file = join(layoutOf(project.path).saga, `runs/add-login/${log.run.id}/events.jsonl`);
    appendFileSync(file, '{"at":"');
    const second = await connect(port, own);
    second.send({ type: "follow", story: "add-login", run: log.run.id, from: next });
    await second.until(() => texts(second.messages).length === 1);
    appendFileSync(file, `${at}","type":"agent.said","text":"four"}\n`);
    await second.until(() => texts(second.messages).length === 2);
    expect([...texts(first.messages), ...texts(second.messages)]).toEqual([
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
  ])("is disconnected if its message is invalid: %j", async (message) => {
    const { port, own } = await startTestDashboard(withStory());
    const client = await connect(port, own);
    client.send(message as never);
    await expect(client.closed).resolves.toBe(1008);
  });
});
