import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import nodeModule from "node:module";
import { join } from "node:path";
import { expect, it } from "vitest";
import { hasEnded, isInShell, outside, SLOW, start } from "../support/slow-session.ts";
import { follows, newStage, expectNothingLeft, STORY } from "../support/stage.ts";
import { becomesTrue } from "../support/until.ts";

const ENVIRONMENT = 'Object.entries(process.env).map((one) => one.join("=")).join("\\n")';
const QUICK = {};

it("returns at once with session and output file, and continues in the background", async () => {
  const stage = await newStage({ steps: QUICK });
  const { session, outputFile } = await start(stage);
  expect(session).toMatch(new RegExp(`^saga-story-${STORY}-\\d{13}$`));
  expect(outputFile).toBe(join(stage.home, "sessions", `${session}.out`));
  await becomesTrue("the run has ended", () => hasEnded(stage));
  expect(stage.commits()).toEqual(["form", "page"]);
  await becomesTrue("the session is gone", () => stage.sessions().length === 0);
  await expectNothingLeft(stage);
});

// Node 22.8 and newer name their files differently.
it.skipIf("enableCompileCache" in nodeModule)(
  "keeps compiled code in the state folder of the person who started it",
  async () => {
    const stage = await newStage({ steps: QUICK });
    const folder = join(stage.env["XDG_STATE_HOME"] ?? "", "saga/compiled");
    // Shared with other tests until now.
    rmSync(folder);
    await start(stage);
    await becomesTrue("the session is gone", async () => {
      return (await hasEnded(stage)) && stage.sessions().length === 0;
    });
    expect(readdirSync(folder).join(" ")).toContain("all-commands.worker.");
  },
);

it("captures everything from the first line on, and keeps it readable afterwards", async () => {
  const stage = await newStage({ steps: SLOW });
  const { session, outputFile } = await start(stage);
  await becomesTrue("the agent is at work", isInShell(stage));
  const output = readFileSync(outputFile, "utf8");
  expect(output.split("\n")[0]).toContain(session);
  const sessions = await stage.run("sessions", "--json");
  expect(JSON.parse(sessions.stdout)).toMatchObject({
    sessions: [{ session, story: STORY, outputFile }],
  });
  expect((await stage.run("status")).stdout).toMatch(/add-login.*last tool use \d+ s ago/);
  await stage.run("stop", STORY);
  expect(existsSync(outputFile)).toBe(false);
  const logs = await stage.run("logs", STORY);
  expect(logs.stdout).toContain("Stopped by you.");
  expect(logs.stdout).toContain("while :; do sleep");
});

it("starts the program with the certificates that its person trusts: later Node does not read them", async () => {
  const certificates = "/no/such/authority.pem";
  const stage = await newStage({ steps: SLOW });
  const env = { NODE_EXTRA_CA_CERTS: certificates };
  const { stdout } = await stage.runWith({ env }, "run", STORY, "--json");
  const { session } = JSON.parse(stdout) as { readonly session: string };
  await becomesTrue("the agent is at work", isInShell(stage));
  const pane = ["list-panes", "-t", `=${session}:`, "-F", "#{pane_pid}"];
  const pid = execFileSync("tmux", pane, { env: stage.env, encoding: "utf8" }).trim();
  const started = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  expect(started).toContain(`NODE_EXTRA_CA_CERTS=${certificates}`);
  await stage.run("stop", STORY);
});

it("puts no key on a command line or into the tmux server, and gets no other caller's environment", async () => {
  const stage = await newStage({
    steps: { form: [{ run: `${outside("environment.txt", ENVIRONMENT)}; touch a` }] },
  });
  // Another program starts the server, with another environment.
  execFileSync("tmux", ["new-session", "-d", "-s", "other"], {
    env: { ...stage.env, ANTHROPIC_BASE_URL: "http://127.0.0.1:9", FOREIGN: "yes" },
  });
  await start(stage);
  const command = execFileSync("tmux", ["list-panes", "-a", "-F", "#{pane_start_command}"], {
    env: stage.env,
    encoding: "utf8",
  });
  expect(command).not.toContain("a-rehearsal-needs-no-key");
  await becomesTrue("the run has ended", () => hasEnded(stage));
  expect(stage.commits()).toEqual(["form", "page"]);
  const environment = readFileSync(join(stage.worktree, "..", "environment.txt"), "utf8");
  expect(environment).not.toContain("FOREIGN");
});

it("ends worker, agent and all child processes when stopped, and leaves the story clean", async () => {
  const stage = await newStage({ steps: SLOW });
  await start(stage);
  await becomesTrue("the agent is at work", isInShell(stage));
  const stopped = await stage.run("stop", STORY);
  expect(stopped.stdout).toContain("was stopped");
  expect(await stage.statuses()).toEqual({ form: "pending", page: "pending" });
  await becomesTrue("the session is gone", () => stage.sessions().length === 0);
  await expectNothingLeft(stage);
  expect(stage.processes()).toEqual([]);
  expect((await stage.run("stop", STORY)).stdout).toContain("is not running");
});

it("survives the end of the whole tmux server, and continues where it was", async () => {
  let isSlow = true;
  const [slow, quick] = [follows(SLOW), follows()];
  const stage = await newStage({ script: (turn) => (isSlow ? slow : quick)(turn) });
  await start(stage);
  await becomesTrue("the agent is at work", isInShell(stage));
  execFileSync("tmux", ["kill-server"], { env: stage.env });
  await becomesTrue("all processes are gone", () => stage.processes().length === 0);
  isSlow = false;
  const again = await stage.work();
  expect(again.exitCode, again.stdout).toBe(0);
  expect(stage.commits()).toEqual(["form", "page"]);
});

it("has one worker at a time: of two that start at once, one is refused with the name of the other", async () => {
  const stage = await newStage();
  const both = await Promise.all([
    stage.run("worker", STORY, "--json"),
    stage.run("worker", STORY, "--json"),
  ]);
  const codes = both.map(({ exitCode }) => Number(exitCode)).toSorted((a, b) => a - b);
  // The second may come when the first is done: then there is nothing left for it to do.
  expect([
    [0, 0],
    [0, 1],
  ]).toContainEqual(codes);
  expect(stage.commits()).toEqual(["form", "page"]);
  await expectNothingLeft(stage);
});

it("waits for a running commit when it is stopped, and commits once", async () => {
  const stage = await newStage({ steps: { page: SLOW.form } });
  // A filter like that of large files: it takes its time when the file is added.
  stage.git("config", "filter.slow.clean", "sleep 1; cat");
  stage.write(".gitattributes", "*.md filter=slow\n");
  stage.git("add", ".gitattributes");
  stage.git("commit", "--quiet", "--message=Attributes");
  await start(stage);
  await becomesTrue("the first task is being committed", async () =>
    (await stage.events("task.changed")).some(({ to }) => to === "completed"),
  );
  const stopped = await stage.run("stop", STORY);
  expect(stopped.stdout, stopped.stderr).toContain("was stopped");
  expect(stage.commits()).toEqual(["form"]);
  const [run] = await stage.store.listRuns(STORY);
  expect(run?.outcome).toBe("stopped");
  await expectNothingLeft(stage);
});
