import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { aStory, newProject } from "../../../test/support/project.ts";
import { thisProcess } from "../../machine/processes/process-id.ts";
import { openStore } from "../../store/file-store.ts";
import { storyLease } from "../../store/leases/lease-names.ts";
import type { Store } from "../../store/store.ts";
import { poolSession, storySession } from "../../story/definition/names.ts";
import type { Run } from "../../story/state/run.ts";
import { awaitRun } from "./await-run.ts";

interface World {
  readonly store: Store;
  /** A session of that name in the project's folder, or in another one. */
  readonly open: (name: string, folder?: string) => void;
  readonly close: (name: string) => void;
  /** Waits for a run; `onMessage` is called when it announces that it waits. */
  readonly wait: (
    id: string,
    onMessage?: () => unknown,
    startWaitMs?: number,
  ) => Promise<Run | undefined>;
  readonly messages: string[];
  readonly interrupt: () => void;
}

function newWorld(): World {
  const project = newProject();
  project.write(".saga/stories/s/story.json", aStory("s"));
  const home = join(project.path, "..", "home");
  mkdirSync(home, { mode: 0o700 });
  const env = { PATH: process.env["PATH"], HOME: home, TMUX_TMPDIR: home };
  const tmux = (...words: string[]): string =>
    execFileSync("tmux", words, { env, stdio: ["ignore", "pipe", "ignore"], encoding: "utf8" });
  // Keeps the server alive when the last of Saga's sessions ends.
  tmux("new-session", "-d", "-s", "other", "-c", home, "cat");
  onTestFinished(() => void tmux("kill-server"));
  const store = openStore(project.path);
  const stop = new AbortController();
  const messages: string[] = [];
  return {
    store,
    open: (name, folder = project.path) =>
      void tmux("new-session", "-d", "-s", name, "-c", folder, "cat"),
    close: (name) => void tmux("kill-session", "-t", `=${name}:`),
    wait: (id, onMessage, startWaitMs = 0) =>
      awaitRun(
        store,
        id,
        {
          env,
          untilStopped: () => stop.signal,
          writeError: (text) => {
            messages.push(text);
            onMessage?.();
          },
        },
        startWaitMs,
      ),
    messages,
    interrupt: () => stop.abort(),
  };
}

async function endedRun(store: Store, id: string): Promise<Run> {
  const log = await store.startRun(id, { endedAt: new Date().toISOString(), outcome: "done" });
  log.close();
  return log.run;
}

const SESSION = storySession("s", Date.now());

it("a run is awaited while the story has a session, and one message says so", async () => {
  const { store, open, wait, messages } = newWorld();
  open(SESSION);
  const run = await wait("s", async () => (await store.startRun("s")).close());
  expect(run).toMatchObject({ story: "s" });
  expect(messages).toEqual([
    `Waiting for the run of s to start (${SESSION}). Press Ctrl-C to stop waiting.\n`,
  ]);
});

it("a run is awaited while a live process holds the story's lease", async () => {
  const { store, wait, messages } = newWorld();
  const { lease } = await store.leases.acquire(storyLease("s"), {
    owner: "a worker in the foreground",
    ttlMs: 60_000,
  });
  onTestFinished(() => lease?.release());
  expect(await wait("s", async () => (await store.startRun("s")).close())).toMatchObject({
    story: "s",
  });
  expect(messages.join("")).toContain("(a worker in the foreground)");
});

it("there is no run when the session ends without one, or without session and lease", async () => {
  const { open, close, wait, messages } = newWorld();
  expect(await wait("s")).toBeUndefined();
  expect(messages).toEqual([]);
  open(SESSION);
  expect(await wait("s", () => close(SESSION))).toBeUndefined();
  expect(messages).toHaveLength(1);
});

it("a run is not awaited for a session of another project", async () => {
  const { open, wait, messages } = newWorld();
  open(SESSION, "/");
  expect(await wait("s")).toBeUndefined();
  expect(messages).toEqual([]);
});

it("the next run is returned while a session lives, else the last one", async () => {
  const { store, open, close, wait } = newWorld();
  const last = await endedRun(store, "s");
  open(SESSION);
  expect(await wait("s", () => close(SESSION))).toMatchObject({ id: last.id });
  open(SESSION);
  const next = await wait("s", async () => (await store.startRun("s")).close());
  expect(next?.id).not.toBe(last.id);
});

it("the last run is returned at once if it has ended and there is no session", async () => {
  const { store, wait } = newWorld();
  const last = await endedRun(store, "s");
  const TOO_LONG_MS = 600_000;
  expect(await wait("s", undefined, TOO_LONG_MS)).toMatchObject({ id: last.id });
});

it("the next run is returned also after one whose worker was killed", async () => {
  const { store, open, wait } = newWorld();
  const dead = { ...thisProcess(), startTime: "0" };
  const killed = await store.startRun("s", { worker: dead });
  killed.close();
  expect(await wait("s")).toMatchObject({ id: killed.run.id });
  open(SESSION);
  const next = await wait("s", async () => (await store.startRun("s")).close());
  expect(next?.id).not.toBe(killed.run.id);
});

it("waiting ends with Ctrl-C", async () => {
  const { open, wait, interrupt } = newWorld();
  open(SESSION);
  expect(await wait("s", interrupt)).toBeUndefined();
});

it("the first run of a pool worker is awaited; an idle worker's last run is returned", async () => {
  const { store, open, wait, messages } = newWorld();
  open(poolSession("auto-1", Date.now()));
  open(poolSession("auto-daemon", Date.now()));
  const first = await wait("auto-1", () => endedRun(store, "auto-1"));
  expect(first).toMatchObject({ story: "auto-1" });
  expect(messages).toHaveLength(1);
  expect(await wait("auto-1")).toMatchObject({ id: first?.id });
  expect(await wait("auto-daemon")).toBeUndefined();
  expect(messages).toHaveLength(1);
});
