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
  /** Waits for a run; what is given happens when it says that it does. */
  readonly wait: (
    id: string,
    onSaid?: () => unknown,
    patienceMs?: number,
  ) => Promise<Run | undefined>;
  readonly said: string[];
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
  // There from the beginning, so that a last session can end without the server.
  tmux("new-session", "-d", "-s", "other", "-c", home, "cat");
  onTestFinished(() => void tmux("kill-server"));
  const store = openStore(project.path);
  const stop = new AbortController();
  const said: string[] = [];
  return {
    store,
    open: (name, folder = project.path) =>
      void tmux("new-session", "-d", "-s", name, "-c", folder, "cat"),
    close: (name) => void tmux("kill-session", "-t", `=${name}:`),
    wait: (id, onSaid, patienceMs = 0) =>
      awaitRun(
        store,
        id,
        {
          env,
          untilStopped: () => stop.signal,
          writeError: (text) => {
            said.push(text);
            onSaid?.();
          },
        },
        patienceMs,
      ),
    said,
    interrupt: () => stop.abort(),
  };
}

async function endedRun(store: Store, id: string): Promise<Run> {
  const log = await store.startRun(id, { endedAt: new Date().toISOString(), outcome: "done" });
  log.close();
  return log.run;
}

const SESSION = storySession("s", Date.now());

it("is awaited as long as a session of the story lives, and this is said once", async () => {
  const { store, open, wait, said } = newWorld();
  open(SESSION);
  const run = await wait("s", async () => (await store.startRun("s")).close());
  expect(run).toMatchObject({ story: "s" });
  expect(said).toEqual([
    `Waiting for the run of s to begin (${SESSION} is there). Ctrl-C ends the waiting.\n`,
  ]);
});

it("is awaited as long as someone alive has claimed the story", async () => {
  const { store, wait, said } = newWorld();
  const { lease } = await store.leases.acquire(storyLease("s"), {
    owner: "a worker in the foreground",
    ttlMs: 60_000,
  });
  onTestFinished(() => lease?.release());
  expect(await wait("s", async () => (await store.startRun("s")).close())).toMatchObject({
    story: "s",
  });
  expect(said.join("")).toContain("(a worker in the foreground is there)");
});

it("is not there when the session ends without one, and when nobody is there at all", async () => {
  const { open, close, wait, said } = newWorld();
  expect(await wait("s")).toBeUndefined();
  expect(said).toEqual([]);
  open(SESSION);
  expect(await wait("s", () => close(SESSION))).toBeUndefined();
  expect(said).toHaveLength(1);
});

it("is not awaited for the session of another project's story of that name", async () => {
  const { open, wait, said } = newWorld();
  open(SESSION, "/");
  expect(await wait("s")).toBeUndefined();
  expect(said).toEqual([]);
});

it("is the next one while a session lives, and the last one when none comes", async () => {
  const { store, open, close, wait } = newWorld();
  const last = await endedRun(store, "s");
  open(SESSION);
  expect(await wait("s", () => close(SESSION))).toMatchObject({ id: last.id });
  open(SESSION);
  const next = await wait("s", async () => (await store.startRun("s")).close());
  expect(next?.id).not.toBe(last.id);
});

it("is the last one at once where that is over and no session is there", async () => {
  const { store, wait } = newWorld();
  const last = await endedRun(store, "s");
  const FOR_EVER_MS = 600_000;
  expect(await wait("s", undefined, FOR_EVER_MS)).toMatchObject({ id: last.id });
});

it("is the next one also behind one whose worker was killed", async () => {
  const { store, open, wait } = newWorld();
  const dead = { ...thisProcess(), startTime: "0" };
  const killed = await store.startRun("s", { worker: dead });
  killed.close();
  expect(await wait("s")).toMatchObject({ id: killed.run.id });
  open(SESSION);
  const next = await wait("s", async () => (await store.startRun("s")).close());
  expect(next?.id).not.toBe(killed.run.id);
});

it("is awaited no longer when the person has had enough", async () => {
  const { open, wait, interrupt } = newWorld();
  open(SESSION);
  expect(await wait("s", interrupt)).toBeUndefined();
});

it("is awaited of a worker of the pool that has none yet; one that rests has its last one", async () => {
  const { store, open, wait, said } = newWorld();
  open(poolSession("auto-1", Date.now()));
  open(poolSession("auto-daemon", Date.now()));
  const first = await wait("auto-1", () => endedRun(store, "auto-1"));
  expect(first).toMatchObject({ story: "auto-1" });
  expect(said).toHaveLength(1);
  expect(await wait("auto-1")).toMatchObject({ id: first?.id });
  expect(await wait("auto-daemon")).toBeUndefined();
  expect(said).toHaveLength(1);
});
