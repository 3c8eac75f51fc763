// A lane in trouble: its target moves, its remote refuses or hangs, a story changes, a check hangs or is flaky.

import { chmodSync, cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../test/support/project.ts";
import { readyStories, separate, SUITE } from "../../test/support/ready-stories.ts";
import { addOrigin, type TestRepository } from "../../test/support/repository.ts";
import { landingKinds } from "../cli/deliver/landing-kinds.ts";
import { startTimeOf } from "../machine/processes/process-id.ts";
import { openStore } from "../store/file-store.ts";
import type { Entry, Lane } from "../story/landing/entry.ts";
import type { LaneContext } from "./landing.ts";
import { landWaiting } from "./wait.ts";

const HERE: Lane = { branch: "main", place: "here" };
const REMOTE: Lane = { branch: "main", place: "remote" };

/** All of them wait in the lane, and no process lands them yet. */
async function queued(
  test: TestRepository,
  lane: Lane,
  ids: readonly string[],
): Promise<{
  land: (more?: Partial<LaneContext>) => Promise<void>;
  outcomes: () => Promise<unknown[]>;
}> {
  const store = openStore(test.path);
  const entries: Entry[] = [];
  for (const name of ids) {
    const story = { kind: "story", name, lane, priority: 3, by: "saga merge" } as const;
    const more = { after: [], checks: ["sh check.sh"], updateCheckouts: true };
    entries.push(await store.queue.enqueue({ ...story, ...more }));
  }
  const env = { PATH: process.env["PATH"], HOME: test.path };
  const context: LaneContext = {
    store,
    settings: await store.settings(),
    env,
    now: Date.now,
    repository: await test.open(),
    kinds: landingKinds,
  };
  return {
    land: (more = {}) => landWaiting({ ...context, ...more }, lane),
    outcomes: () =>
      Promise.all(entries.map(async (one) => (await store.queue.outcome(one))?.value)),
  };
}

/** A commit on the target by someone else. */
function moveTarget(test: TestRepository, lane: Lane, file: string): void {
  const clone = join(dirname(test.path), `colleague-${file}`);
  const from = lane.place === "remote" ? test.git("remote", "get-url", "origin") : test.path;
  test.git("clone", "--quiet", "--branch=main", from, clone);
  writeFileSync(join(clone, file), "theirs\n");
  test.gitIn(clone, "add", file);
  test.gitIn(clone, "commit", "--quiet", `--message=${file}`);
  test.gitIn(clone, "push", "--quiet", "origin", "main");
}

const STEPS = ["reading", "combining", "running the checks", "recording", "updating"];

describe.each([HERE, REMOTE])("a target ($place) that someone else moves", (lane) => {
  it("at each step is never overwritten, and its new code is verified before a story lands on it", async () => {
    const { test, checksRun } = await readyStories(separate(5));
    if (lane.place === "remote") addOrigin(test);
    else test.git("checkout", "--quiet", "--detach");
    for (const [at, { id }] of separate(5).entries()) {
      const { land, outcomes } = await queued(test, lane, [id]);
      const before = checksRun().length;
      let isMoved = false;
      await land({
        onStep(about) {
          if (isMoved || !about.startsWith(STEPS[at] ?? "")) return;
          isMoved = true;
          moveTarget(test, lane, `theirs-${at}.txt`);
        },
      });
      expect(isMoved, STEPS[at]).toBe(true);
      expect(await outcomes(), STEPS[at]).toMatchObject([{ kind: "merged" }]);
      expect(checksRun().length, STEPS[at]).toBeGreaterThan(before);
    }
    const ref = lane.place === "remote" ? "origin/main" : "main";
    const names = test.git("ls-tree", "--name-only", ref);
    for (let at = 0; at < 5; at++) {
      expect(names).toContain(`theirs-${at}.txt`);
      expect(names).toContain(`file-${at + 1}.txt`);
    }
  });
});

describe("a remote", () => {
  it("that refuses the push gives each story an error of its own; they land when it accepts", async () => {
    const { test } = await readyStories(separate(2));
    const origin = addOrigin(test);
    const hook = join(origin, "hooks/pre-receive");
    writeFileSync(hook, "#!/bin/sh\necho closed for today >&2\nexit 1\n");
    chmodSync(hook, 0o755);
    const before = test.gitIn(origin, "rev-parse", "main");
    const refused = await queued(test, REMOTE, ["story-1", "story-2"]);
    await refused.land();
    for (const outcome of await refused.outcomes()) {
      expect(JSON.stringify(outcome)).toContain("closed for today");
    }
    expect(test.gitIn(origin, "rev-parse", "main")).toBe(before);
    writeFileSync(hook, "#!/bin/sh\n");
    const accepted = await queued(test, REMOTE, ["story-1", "story-2"]);
    await accepted.land();
    expect(await accepted.outcomes()).toMatchObject([{ kind: "merged" }, { kind: "merged" }]);
    expect(test.gitIn(origin, "ls-tree", "--name-only", "main")).toMatch(/file-1.*file-2/s);
  });

  it("has stories of which the person has uncommitted copies: their checkout is updated with all of them", async () => {
    const { test } = await readyStories(separate(3));
    addOrigin(test);
    for (const { id } of separate(3)) {
      const there = join(test.path, ".saga/worktrees", id, ".saga/stories", id);
      cpSync(there, join(test.path, ".saga/stories", id), { recursive: true });
    }
    const { land, outcomes } = await queued(test, REMOTE, ["story-1", "story-2", "story-3"]);
    await land();
    for (const outcome of await outcomes()) {
      expect(outcome).toMatchObject({ kind: "merged" });
      expect(JSON.stringify(outcome)).not.toContain("was not updated");
    }
    expect(test.git("rev-parse", "HEAD")).toBe(test.git("rev-parse", "origin/main"));
    expect(test.git("status", "--porcelain", "--", ".saga/stories", "file-1.txt")).toBe("");
  });

  it("that hangs lets the lander be stopped, and the entries stay in the lane", async () => {
    // With a base that is set, the first connection is the lander's own fetch.
    const config = '[git]\nbase = "main"\n';
    const { test } = await readyStories(separate(1), { config });
    addOrigin(test);
    const started = join(newFolder().path, "started");
    // Git starts this instead of a connection.
    test.git("config", "core.sshCommand", `sh -c 'touch ${started}; exec sleep 600' #`);
    test.git("remote", "set-url", "origin", "ssh://nowhere.invalid/origin.git");
    const { land, outcomes } = await queued(test, REMOTE, ["story-1"]);
    const stop = new AbortController();
    const landing = land({ stop: stop.signal }).catch(() => undefined);
    await expect.poll(() => existsSync(started), { timeout: 30_000 }).toBe(true);
    stop.abort();
    await landing;
    expect(await outcomes()).toEqual([undefined]);
  });

  it("that hangs during the push lets the lander be stopped; the story lands when it answers", async () => {
    const { test } = await readyStories(separate(1));
    const origin = addOrigin(test);
    const hook = join(origin, "hooks/pre-receive");
    const process = join(newFolder().path, "process");
    writeFileSync(
      hook,
      `#!/bin/sh\necho $$ > ${process}.new\nmv ${process}.new ${process}\nexec sleep 600\n`,
    );
    chmodSync(hook, 0o755);
    const before = test.gitIn(origin, "rev-parse", "main");
    const { land, outcomes } = await queued(test, REMOTE, ["story-1"]);
    const stop = new AbortController();
    const landing = land({ stop: stop.signal });
    await expect.poll(() => existsSync(process), { timeout: 30_000 }).toBe(true);
    stop.abort();
    await landing;
    expect(await outcomes()).toEqual([undefined]);
    expect(test.gitIn(origin, "rev-parse", "main")).toBe(before);
    const pid = Number(readFileSync(process, "utf8"));
    await expect.poll(() => startTimeOf(pid), { timeout: 30_000 }).toBeUndefined();
    writeFileSync(hook, "#!/bin/sh\n");
    await land();
    expect(await outcomes()).toMatchObject([{ kind: "merged" }]);
    expect(test.gitIn(origin, "ls-tree", "--name-only", "main")).toContain("file-1.txt");
  });
});

describe("a story that changes while it waits", () => {
  it("does not land with code that its gate has not seen; the others do", async () => {
    const { test } = await readyStories(separate(2));
    test.git("checkout", "--quiet", "--detach");
    const { land, outcomes } = await queued(test, HERE, ["story-1", "story-2"]);
    const folder = join(test.path, ".saga/worktrees/story-1");
    writeFileSync(join(folder, "more.txt"), "unverified\n");
    test.gitIn(folder, "add", "more.txt");
    test.gitIn(folder, "commit", "--quiet", "--message=More");
    await land();
    const [first, second] = await outcomes();
    expect(JSON.stringify(first)).toContain("its gate has not run on this code");
    expect(second).toMatchObject({ kind: "merged" });
    expect(test.git("ls-tree", "--name-only", "main")).not.toContain("more.txt");
  });

  it("during the checks of its batch does not land with them", async () => {
    const { test } = await readyStories(separate(2), {
      config: "[gate]\nreuse_receipts = false\n",
    });
    test.git("checkout", "--quiet", "--detach");
    const { land, outcomes } = await queued(test, HERE, ["story-1"]);
    const folder = join(test.path, ".saga/worktrees/story-1");
    await land({
      onStep(about) {
        if (about !== "sh check.sh") return;
        test.gitIn(folder, "commit", "--quiet", "--allow-empty", "--message=More");
      },
    });
    // The commit that was verified has landed, and the new one is still on its branch.
    const landed = test.git("log", "--format=%s", "main");
    expect(landed).not.toContain("More");
    expect(test.git("log", "--format=%s", "story/story-1")).toContain("More");
    expect((await outcomes())[0]).toBeDefined();
  });
});

it("a lane with 200 entries is read and landed quickly", async () => {
  const { test, mergeAll } = await readyStories(separate(2));
  // Of these there is nothing to land.
  const gone = Array.from({ length: 200 }, (_, at) => `gone-${at}`);
  const { outcomes } = await queued(test, HERE, gone);
  const from = performance.now();
  const before = process.cpuUsage();
  const { stdout } = await test.saga("queue", "--json");
  const { user, system } = process.cpuUsage(before);
  // Of the processor's time: a busy machine says nothing about us.
  expect((user + system) / 1000).toBeLessThan(2_000);
  const [lane] = (JSON.parse(stdout) as { lanes: { entries: unknown[] }[] }).lanes;
  expect(lane?.entries).toHaveLength(200);
  expect(await mergeAll()).toMatchObject([{ kind: "merged" }, { kind: "merged" }]);
  for (const outcome of await outcomes()) expect(JSON.stringify(outcome)).toContain("not-found");
  // Each of them had a lease, and none is kept.
  expect(performance.now() - from).toBeLessThan(30_000);
});

describe("a check", () => {
  it("that hangs is ended at gate.check_minutes, and the story is refused with that reason", async () => {
    const { test, mergeAll } = await readyStories(separate(2), {
      suite: (log) => `grep -q accepted '${log}' || exit 0\nexec sleep 600`,
      config: "[gate]\ncheck_minutes = 0.02\n",
    });
    // The first one's target has not moved.
    expect(await mergeAll(["story-1"])).toMatchObject([{ kind: "merged" }]);
    const [refused] = await mergeAll(["story-2"]);
    expect(refused?.kind).toBe("refused");
    expect(String(refused?.json["reason"])).toContain("did not finish within 1.2 s");
    expect(test.git("ls-tree", "--name-only", "main")).not.toContain("file-2.txt");
  });

  it("that fails and then passes on the same code is retried once, lands, and is shown as flaky", async () => {
    const { test, checksRun, mergeAll } = await readyStories(separate(2), {
      // The first run after the stories are ready fails.
      suite: (log) =>
        `grep -q accepted '${log}' || exit 0\ntest $(sed '1,/accepted/d' '${log}' | grep -c run) -ne 1 || { echo unlucky; exit 1; }\n${SUITE}`,
    });
    expect(await mergeAll(["story-1"])).toMatchObject([{ kind: "merged" }]);
    expect(await mergeAll(["story-2"])).toMatchObject([{ kind: "merged" }]);
    expect(checksRun()).toHaveLength(2);
    const batch = (await openStore(test.path).queue.history(HERE)).at(-1);
    expect(batch?.flaky).toEqual(["sh check.sh"]);
    expect(batch?.checks.map(({ isPassed }) => isPassed)).toEqual([false, true]);
    const { stdout } = await test.saga("queue");
    expect(stdout).toContain("Flaky check (failed and passed on the same code): sh check.sh");
  });
});

it("what a lander did that was killed after its last entry is forgotten by the next one", async () => {
  const { test } = await readyStories(separate(1));
  const { land, outcomes } = await queued(test, HERE, ["story-1"]);
  await land();
  const { queue } = openStore(test.path);
  await queue.setNow(HERE, {
    entries: ["story-1"],
    startedAt: new Date(0).toISOString(),
    step: "land",
  });
  await land();
  expect(await queue.now(HERE)).toBeUndefined();
  expect(await outcomes()).toMatchObject([{ kind: "merged" }]);
});

it("a lander that was killed while it sent a story back is replaced by one that does the rest", async () => {
  const { test, mergeAll } = await readyStories(separate(2));
  await mergeAll(["story-1"]);
  const { land, outcomes } = await queued(test, HERE, ["story-2"]);
  // Its last step before the kill.
  await openStore(test.path).addTask("story-2", {
    id: "fix-landing",
    subject: "Fix what fails together with main",
    description: "The check failed.",
    status: "pending",
  });
  await land();
  expect(await outcomes()).toMatchObject([{ kind: "refused", taskId: "fix-landing" }]);
  expect(test.git("ls-tree", "--name-only", "story/story-2").split("\n")).toContain("file-1.txt");
  expect((await test.saga("show", "story-2", "--json")).json()).toMatchObject({
    status: "in_progress",
  });
});
