// The dashboard as it is shipped: the built program, a real browser's requests, real workers on the scripted model.

import { spawn } from "node:child_process";
import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { cookieName } from "../../src/dashboard/server/guard.ts";
import type { PageAction, ActionResult } from "../../src/dashboard/protocol/actions.ts";
import type { StoryDetail } from "../../src/dashboard/protocol/details.ts";
import type { StoryCard, ToPage } from "../../src/dashboard/protocol/messages.ts";
import type { Script } from "../../src/rehearsal/model-server.ts";
import type { RunEvent } from "../../src/story/state/run.ts";
import { connect, isSnapshot, type Client } from "../support/dashboard.ts";
import { builtSaga, plainEnv, runNode } from "../support/programs.ts";
import { anEpic, aStory, aTask, newProject } from "../support/project.ts";
import { newStage, STORY, type Stage } from "../support/stage.ts";

/** An agent that is at work for ever. */
const HANGS: Script = () => ({ kind: "hang" });

interface Shipped {
  readonly address: string;
  readonly port: number;
  readonly own: Record<string, string>;
  readonly pid: number;
  /** Ctrl-C, and how it ended. */
  readonly end: () => Promise<{ exitCode: number | null; stdout: string; stderr: string }>;
}

/** `saga dashboard`, until it says where it is. */
function startShipped(cwd: string, env: NodeJS.ProcessEnv, ...words: string[]): Promise<Shipped> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [builtSaga, "dashboard", "--json", ...words], {
      cwd,
      env,
    });
    let [stdout, stderr] = ["", ""];
    const ended = new Promise<number | null>((done) => child.on("close", done));
    onTestFinished(() => void child.kill("SIGKILL"));
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    child.stdout.on("data", (chunk: Buffer) => {
      stdout += chunk.toString();
      if (!stdout.endsWith("}\n")) return;
      const { address, port } = JSON.parse(stdout) as { address: string; port: number };
      const key = new URL(address).searchParams.get("key") ?? "";
      const own = { Cookie: `${cookieName(port)}=${key}`, Origin: `http://127.0.0.1:${port}` };
      const end = async () => {
        child.kill("SIGINT");
        return { exitCode: await ended, stdout, stderr };
      };
      resolve({ address, port, own, pid: child.pid ?? 0, end });
    });
    void ended.then((code) => reject(new Error(`It ended with ${code}: ${stderr}`)));
  });
}

describe("the command", () => {
  it("prints its address, is found by a second one, and ends cleanly with Ctrl-C", async () => {
    const { path } = newProject();
    const env = plainEnv(join(path, ".."));
    const first = await startShipped(path, env);
    const again = await runNode([builtSaga, "dashboard", "--json"], { cwd: path, env });
    expect(again.exitCode).toBe(0);
    expect(JSON.parse(again.stdout)).toMatchObject({ address: first.address, wasRunning: true });
    const { exitCode, stderr } = await first.end();
    expect([exitCode, stderr]).toEqual([0, ""]);

    const next = await startShipped(path, env);
    expect(next.address).toBe(first.address);
    await next.end();
  });

  it("starts again after it was killed", async () => {
    const { path } = newProject();
    const env = plainEnv(join(path, ".."));
    const first = await startShipped(path, env);
    process.kill(first.pid, "SIGKILL");
    await first.end();
    const next = await startShipped(path, env);
    expect(next.address).toBe(first.address);
    await next.end();
  });

  it("keeps the key out of its command line and its error output", async () => {
    const { path } = newProject();
    const { address, pid, end } = await startShipped(path, plainEnv(join(path, "..")));
    const key = new URL(address).searchParams.get("key") ?? "none";
    expect(readFileSync(`/proc/${pid}/cmdline`, "utf8")).not.toContain(key);
    expect((await end()).stderr).not.toContain(key);
  });

  it("opens the browser with a ticket, because others can read its command line for days", async () => {
    const { path, write } = newProject();
    const env = plainEnv(join(path, ".."));
    write("../bin/xdg-open", '#!/bin/sh\nprintf %s "$1" > "$(dirname "$0")/opened"\n');
    chmodSync(join(path, "../bin/xdg-open"), 0o755);
    const withBrowser = { ...env, PATH: `${join(path, "../bin")}:${env["PATH"]}` };
    const { address, end } = await startShipped(path, env);
    const again = await runNode([builtSaga, "dashboard", "--open"], {
      cwd: path,
      env: withBrowser,
    });
    expect([again.exitCode, again.stderr]).toEqual([0, ""]);
    const opened = readFileSync(join(path, "../bin/opened"), "utf8");
    expect(opened).not.toContain(new URL(address).searchParams.get("key"));
    const answer = await fetch(opened, { redirect: "manual" });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/"]);
    expect((await fetch(opened, { redirect: "manual" })).status).toBe(401);
    await end();
  });

  it.each([
    ["--port", "0"],
    ["--port", "x"],
    ["--port", "70000"],
  ])("refuses an invalid port: %s %s", async (...words) => {
    const { path } = newProject();
    const ended = await runNode([builtSaga, "dashboard", ...words], { cwd: path });
    expect(ended.exitCode).toBe(64);
  });
});

/** A page with the cards that it received. */
async function openPage({ port, own }: Shipped) {
  const client = await connect(port, own);
  onTestFinished(() => client.close());
  const { token } = await client.first(isSnapshot);
  const act = async (body: PageAction): Promise<ActionResult> => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/act`, {
      method: "POST",
      headers: { ...own, "x-saga-token": token },
      body: JSON.stringify(body),
    });
    return (await answer.json()) as ActionResult;
  };
  const detail = async (id: string): Promise<StoryDetail> => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/story/${id}`, { headers: own });
    return (await answer.json()) as StoryDetail;
  };
  return { client, act, detail, story: (id: string) => cardIn(client, id) };
}

function cardIn({ messages }: Client, id: string): StoryCard | undefined {
  let card: StoryCard | undefined;
  for (const message of messages) {
    if (message.type === "snapshot") card = message.entities.stories[id];
    if (message.type !== "change") continue;
    for (const change of message.changes) {
      if (change.kind === "stories" && change.id === id) card = change.value ?? undefined;
    }
  }
  return card;
}

const eventsIn = (messages: readonly ToPage[]): RunEvent[] =>
  messages.flatMap((one) => (one.type === "log" ? one.events : []));

describe("a real worker", () => {
  it("is started, followed to its end and sent back from the page", async () => {
    const stage = await newStage();
    stage.git("add", "--all");
    stage.git("commit", "--quiet", "--message=Plan");
    const shipped = await startShipped(stage.path, stage.env);
    const { client, act, detail, story } = await openPage(shipped);

    expect(await act({ act: "run", story: STORY })).toMatchObject({ isOk: true });
    await client.until(() => story(STORY)?.state === "running");
    await client.until(() => story(STORY)?.run !== undefined);
    const run = story(STORY)?.run?.id ?? "";
    client.send({ type: "follow", story: STORY, run, from: 0 });
    await client.until(() => story(STORY)?.run?.lastAction !== undefined);
    await client.until(() => story(STORY)?.state === "review");
    await client.until(() => eventsIn(client.messages).some(({ type }) => type === "run.ended"));
    expect(eventsIn(client.messages)).toEqual(await stage.events());

    const { commits, receipts, missing, journal } = await detail(STORY);
    expect(commits.flatMap(({ task }) => task ?? [])).toEqual(["form", "page"]);
    expect(receipts.length).toBeGreaterThan(0);
    expect(missing).toEqual([]);
    expect(journal.length).toBeGreaterThan(0);

    expect(await act({ act: "reject", story: STORY, why: "- Make it blue." })).toMatchObject({
      isOk: true,
    });
    await client.until(() => story(STORY)?.tasks.length === 3);
    await shipped.end();
  });

  it("continues when the dashboard ends, and is stopped from the next one", async () => {
    const stage = await newStage({ script: HANGS });
    const first = await startShipped(stage.path, stage.env);
    const page = await openPage(first);
    await page.act({ act: "run", story: STORY });
    await page.client.until(() => page.story(STORY)?.run !== undefined);
    await first.end();
    expect(stage.sessions()).toHaveLength(1);

    const next = await startShipped(stage.path, stage.env);
    const { client, act, story } = await openPage(next);
    expect(story(STORY)?.state).toBe("running");
    const session = story(STORY)?.run?.session ?? "";
    expect(await act({ act: "session-stop", session })).toMatchObject({ isOk: true });
    await client.until(() => story(STORY)?.state === "stopped");
    await next.end();
    expect(stage.sessions()).toEqual([]);
  });

  it("that is killed is shown as killed, although no file says so", async () => {
    const stage = await newStage({ script: HANGS });
    const shipped = await startShipped(stage.path, stage.env);
    const { client, act, story } = await openPage(shipped);
    await act({ act: "run", story: STORY });
    await client.until(() => story(STORY)?.run !== undefined);
    const lease = await stage.store.leases.read(`story.${STORY}`);
    process.kill(lease?.record.pid ?? 0, "SIGKILL");
    await client.until(() => story(STORY)?.state === "killed");
    expect(story(STORY)?.run?.endedAt).toBeUndefined();
    await shipped.end();
  });
});

it("an epic is run in a session of its own, shown as running, and stopped", async () => {
  const stage = await newEpic();
  const shipped = await startShipped(stage.path, stage.env);
  const { client, act } = await openPage(shipped);
  const isRunning = (): boolean | undefined => {
    const changes = client.messages.flatMap((one) => (one.type === "change" ? one.changes : []));
    const last = changes.findLast(({ kind, id }) => kind === "epics" && id === "shop");
    return last?.kind === "epics" ? last.value?.isRunning : undefined;
  };
  expect(await act({ act: "epic-run", epic: "shop" })).toMatchObject({ isOk: true });
  await client.until(() => isRunning() === true);
  expect(await act({ act: "epic-run", epic: "shop" })).toMatchObject({
    isOk: false,
    message: "The epic shop is already running (saga epic run).",
  });
  expect(await act({ act: "epic-stop", epic: "shop" })).toMatchObject({ isOk: true });
  await client.until(() => isRunning() === false);
  await shipped.end();
  await stage.run("stop", "--all");
});

async function newEpic(): Promise<Stage> {
  const stage = await newStage({ script: HANGS });
  stage.write(".saga/epics/shop/epic.json", anEpic("shop", [{ id: "shop--cart" }]));
  stage.write(".saga/stories/shop--cart/story.json", aStory("shop--cart", { epic: "shop" }));
  stage.write(".saga/stories/shop--cart/add.json", aTask("add"));
  stage.git("add", "--all");
  stage.git("commit", "--quiet", "--message=Plan");
  return stage;
}
