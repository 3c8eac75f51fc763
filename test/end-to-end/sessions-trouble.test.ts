import { execFile, execFileSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startTimeOf } from "../../src/machine/processes/process-id.ts";
import { processTree } from "../../src/machine/processes/process-tree.ts";
import { storySession } from "../../src/story/definition/names.ts";
import { builtSaga } from "../support/programs.ts";
import { inTerminal } from "../support/terminal.ts";
import { hasEnded, isInShell, SLOW, start } from "../support/slow-session.ts";
import { follows, newStage, expectNothingLeft, STORY } from "../support/stage.ts";
import { becomesTrue } from "../support/until.ts";
import { expectExit } from "../support/expect-exit.ts";

it("is followed live until its end", async () => {
  const stage = await newStage();
  await start(stage);
  const lines = await stage.run("logs", STORY, "-f");
  expect(lines.stdout).toContain("All tasks are completed.");
  expect(lines.stdout).toMatch(/Write\s+rehearsal\/form\.md/);
  const events = await stage.run("logs", STORY, "--json");
  expect((JSON.parse(events.stdout) as { events: unknown[] }).events.length).toBeGreaterThan(20);
});

it("is followed from its first line, however long its worker takes to start", async () => {
  const stage = await newStage();
  const gate = join(stage.home, "gate");
  execFileSync("mkfifo", [gate]);
  const place = ["-s", storySession(STORY, Date.now()), "-c", stage.path];
  const worker = [process.execPath, builtSaga, "worker", STORY, `-C${stage.path}`];
  const slowly = ["sh", "-c", 'cat "$0" && exec "$@"', gate, ...worker];
  execFileSync("tmux", ["new-session", "-d", ...place, "--", ...slowly], { env: stage.env });
  // It says so when it has waited as long as for a hidden worker; only then the worker may begin.
  const letGo = ({ stderr }: ChildProcess): void =>
    void stderr?.once("data", () => writeFileSync(gate, ""));
  const followed = await expectExit(0, stage.runWith({ onStart: letGo }, "logs", STORY, "-f"));
  expect(followed.stderr).toMatch(/^Waiting for the run of add-login to start \(saga-story-.*\n$/);
  expect(followed.stdout).toContain("All tasks are completed.");
});

it.each([[STORY], ["--all"]])(
  "is shown and can be stopped when its story can no longer be read: stop %s",
  async (whose) => {
    const stage = await newStage({ steps: SLOW });
    await start(stage);
    await becomesTrue("the agent is at work", isInShell(stage));
    const file = join(stage.worktree, `.saga/stories/${STORY}/story.json`);
    const before = readFileSync(file, "utf8");
    writeFileSync(file, "{");
    const status = await stage.run("status");
    expect(status.stdout).toMatch(
      /^Running\n.*add-login {2}running, but its files cannot be read$/m,
    );
    expect(status.stdout).toContain("Not shown: 1 invalid file");
    const stopped = await stage.run("stop", whose);
    expect(stopped.stdout, stopped.stderr).toContain(`${STORY} was stopped`);
    await becomesTrue("the session is gone", () => stage.sessions().length === 0);
    expect(stage.processes()).toEqual([]);
    writeFileSync(file, before);
    await expectNothingLeft(stage);
  },
);

it("ends everything when the session is killed from outside", async () => {
  const stage = await newStage({ steps: SLOW });
  const { session } = await start(stage);
  await becomesTrue("the agent is at work", isInShell(stage));
  execFileSync("tmux", ["kill-session", "-t", `=${session}`], { env: stage.env });
  await becomesTrue("all processes are gone", () => stage.processes().length === 0);
  await becomesTrue("the run has ended", () => hasEnded(stage));
  expect(await stage.statuses()).toEqual({ form: "pending", page: "pending" });
  await expectNothingLeft(stage);
});

it("takes over from a killed worker, and ends its leftover processes", async () => {
  let isSlow = true;
  const [slow, quick] = [follows(SLOW), follows()];
  const stage = await newStage({ script: (turn) => (isSlow ? slow : quick)(turn) });
  await start(stage);
  await becomesTrue("the agent is at work", isInShell(stage));
  const [run] = await stage.store.listRuns(STORY);
  const shell = Number(readFileSync(join(stage.worktree, "..", "shell.pid"), "utf8"));
  process.kill(run?.worker?.pid ?? 0, "SIGKILL");
  const isKilled = async (): Promise<boolean> =>
    (await stage.store.viewStory(STORY)).state === "killed";
  await becomesTrue("its end is seen", isKilled);
  isSlow = false;
  await expectExit(0, stage.work());
  expect(startTimeOf(shell)).toBeUndefined();
  expect(stage.commits()).toEqual(["form", "page"]);
  await becomesTrue("the session is gone", () => stage.sessions().length === 0);
  await stage.run("clean");
  await expectNothingLeft(stage);
});

it("stops a dead worker's story by cleaning up after it", async () => {
  const stage = await newStage({ steps: SLOW });
  await start(stage);
  await becomesTrue("the agent is at work", isInShell(stage));
  const [run] = await stage.store.listRuns(STORY);
  process.kill(run?.worker?.pid ?? 0, "SIGKILL");
  await expectExit(0, stage.run("stop", STORY));
  expect(await stage.statuses()).toEqual({ form: "pending", page: "pending" });
  expect(
    stage
      .processes()
      .filter((pid) => processTree({ pid, startTime: startTimeOf(pid) ?? "" }).length > 2),
  ).toEqual([]);
  await stage.run("clean");
  await expectNothingLeft(stage);
});

it("is refused by a second start while it runs", async () => {
  const stage = await newStage({ steps: SLOW });
  await start(stage);
  await becomesTrue("the agent is at work", isInShell(stage));
  const second = await expectExit(1, stage.run("run", STORY));
  expect(second.stderr).toContain("is already running");
  await stage.run("stop", "--all");
});

it("aborts before the agent starts when Claude's task folder cannot be used", async () => {
  const stage = await newStage();
  mkdirSync(join(stage.home, "claude"), { recursive: true });
  writeFileSync(join(stage.home, "claude", "tasks"), "a file, not a folder");
  const ended = await expectExit(1, stage.work("--json"));
  expect(stage.model.turns()).toBe(0);
  expect(JSON.parse(ended.stdout)).toMatchObject({ outcome: "failed", cycles: 0 });
  rmSync(join(stage.home, "claude", "tasks"));
  await expectExit(0, stage.work());
  await expectNothingLeft(stage);
});

it("refuses a session folder that others can read", async () => {
  const stage = await newStage();
  mkdirSync(join(stage.home, "sessions"));
  chmodSync(join(stage.home, "sessions"), 0o755);
  const refused = await expectExit(1, stage.run("run", STORY));
  expect(refused.stderr).toContain("open to other users");
  expect(stage.sessions()).toEqual([]);
});

it("is stopped even before its worker has locked the story", async () => {
  const stage = await newStage({ steps: SLOW });
  for (let turn = 0; turn < 4; turn++) {
    await start(stage);
    const stopped = await stage.run("stop", STORY);
    expect(stopped.stdout, stopped.stderr).toContain("was stopped");
    expect(stage.sessions()).toEqual([]);
  }
  expect(stage.processes()).toEqual([]);
});

it("is stopped at once while its worktree is set up", async () => {
  const stage = await newStage({ config: '[worktree]\nsetup = "touch ../begun; sleep 50"\n' });
  await start(stage);
  await becomesTrue("the set-up runs", () => existsSync(join(stage.worktree, "..", "begun")));
  const from = Date.now();
  await stage.run("stop", STORY);
  expect(Date.now() - from).toBeLessThan(10_000);
  await expectNothingLeft(stage);
  expect(stage.processes()).toEqual([]);
});

it("belongs to its project: a story of the same name in another project is separate", async () => {
  const stage = await newStage({ steps: SLOW });
  await start(stage);
  await becomesTrue("the agent is at work", isInShell(stage));
  const other = join(stage.home, "other");
  stage.git("clone", "--quiet", stage.path, other);
  stage.git("-C", other, "commit", "--quiet", "--allow-empty", "--message=Other");
  const attached = await stage.run("attach", STORY, "-C", other);
  expect(attached.stderr).toContain("No session is running");
  await stage.run("stop", "--all");
});

it("can be attached to from another tmux server", async () => {
  const stage = await newStage({ steps: SLOW });
  await start(stage);
  await becomesTrue("the agent is at work", isInShell(stage));
  const desk = { cwd: stage.path, env: stage.env, home: stage.home, place: "attach" };
  const command = `TMUX='${stage.home}/desk,1,0' '${process.execPath}' '${builtSaga}' attach ${STORY}`;
  const { output } = await inTerminal(command, "`form` is in progress", desk);
  expect(output).not.toContain("can't find session");
  await stage.run("stop", "--all");
});

it("ends `logs -f` at its next line if nothing reads its output", async () => {
  // There is always a next line: this agent never ends.
  const stage = await newStage({
    steps: { form: Array.from({ length: 2000 }, () => ({ run: "echo" })) },
  });
  await start(stage);
  const command = '"$0" "$1" logs add-login -f | head -1';
  const follower = execFile("sh", ["-c", command, process.execPath, builtSaga], {
    cwd: stage.path,
    env: stage.env,
  });
  const [exitCode] = (await once(follower, "close")) as [number];
  expect(exitCode).toBe(0);
  expect(await hasEnded(stage)).toBe(false);
  await stage.run("stop", "--all");
});
