// Programs that an agent's shell plants for git to run: filters, drivers, hooks, settings elsewhere. The worker is killed
// right after, so that nothing was put in order; then come the commands that a person would use.

import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { cookieName } from "../../src/dashboard/server/guard.ts";
import { builtSaga, type Ended } from "../support/programs.ts";
import { aTask } from "../support/project.ts";
import { follows, STORY, type Stage } from "../support/stage.ts";
import {
  ATTRIBUTES,
  type Planted,
  plantedStage,
  killWhenPlanted,
} from "../support/planted-stage.ts";

const LONG = 600_000;

const STATEFUL = ["project", "notes.git", "home/state"];

/** Gives back how it is now, again and again. */
function rememberedState({ base }: Planted): () => void {
  const copy = (from: string, to: string): void => {
    for (const path of STATEFUL) {
      rmSync(join(to, path), { recursive: true, force: true });
      cpSync(join(from, path), join(to, path), { recursive: true, verbatimSymlinks: true });
    }
  };
  copy(base, join(base, "remembered"));
  return () => copy(join(base, "remembered"), base);
}

/** The page of the story, from a dashboard of its own. */
async function lookAtDashboard({ path, env }: Stage): Promise<Ended> {
  const child = spawn(process.execPath, [builtSaga, "dashboard", "--json"], { cwd: path, env });
  onTestFinished(() => void child.kill("SIGKILL"));
  let [stdout, stderr] = ["", ""];
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  await new Promise<void>((resolve) => {
    child.stdout.on("data", (chunk: Buffer) => {
      stdout += chunk.toString();
      if (stdout.endsWith("}\n")) resolve();
    });
    child.on("close", resolve);
  });
  const { address, port } = JSON.parse(stdout) as { address: string; port: number };
  const Cookie = `${cookieName(port)}=${new URL(address).searchParams.get("key") ?? ""}`;
  const page = await fetch(`http://127.0.0.1:${port}/api/story/${STORY}`, { headers: { Cookie } });
  expect(page.status).toBe(200);
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  child.kill("SIGINT");
  return { exitCode: await ended, signal: null, stdout, stderr };
}

/** Works on in a session, to the end. */
async function resume(stage: Stage): Promise<Ended> {
  const resumed = await stage.run("resume", STORY);
  expect(resumed.exitCode, resumed.stderr).toBe(0);
  const outcome = async () => (await stage.store.listRuns(STORY))[0]?.outcome;
  await expect.poll(outcome).toBe("done");
  await expect.poll(stage.sessions).toEqual([]);
  return resumed;
}

const PLANTED_KEYS = [
  "filter.evil.clean",
  "filter.evil.smudge",
  "diff.external",
  "diff.evil.textconv",
  "diff.evil.command",
  "merge.evil.driver",
  "core.fsmonitor",
  "core.hookspath",
  "core.sshcommand",
  "include.path",
  "extensions.worktreeconfig",
  "hooks/pre-push",
  "hooks/reference-transaction",
  "config.worktree",
  `worktrees/${STORY}/config.worktree`,
  `worktrees/${STORY}/commondir`,
];

describe("a program that an agent planted for git before its worker was killed", () => {
  it(
    "is not run by any later command; the first one removes it, keeps a copy and warns",
    async () => {
      const work = follows({
        form: [
          { write: ".gitattributes", content: ATTRIBUTES },
          { write: "form.txt", content: "form\n" },
          { write: "form.own", content: "form\n" },
        ],
        page: [
          { write: "page.txt", content: "page\n" },
          { run: "sh ../../../../plant.sh" },
          { write: "page.own", content: "page\n" },
        ],
      });
      let hangs = true;
      const stage = await plantedStage({
        script: (turn) =>
          hangs && JSON.stringify(turn.messages).includes("everything is planted")
            ? { kind: "hang" }
            : work(turn),
      });
      await killWhenPlanted(stage);
      hangs = false;
      const restore = rememberedState(stage);

      const run = (...words: string[]) => [words.join(" "), () => stage.run(...words)] as const;
      // Of these, each needs git.
      const withGit = [
        run("recover"),
        run("show", STORY),
        run("verify", STORY),
        run("merge", STORY),
        run("push", STORY),
        run("clean"),
        run("snapshot", "list"),
        run("auto", "--once"),
        run("discard", STORY, "--yes"),
      ] as const;
      const isReported: Record<string, boolean> = {};
      for (const [words, act] of withGit) {
        restore();
        const { stderr } = await act();
        expect(stage.ran(), words).toBe("");
        isReported[words] = PLANTED_KEYS.every((key) => stderr.includes(key));
        const kept = /a copy is in (?<folder>\S+)\./.exec(stderr)?.groups?.["folder"] ?? "";
        expect(readFileSync(join(kept, "config"), "utf8"), words).toContain("evil.sh");
        expect(existsSync(join(kept, "hooks/pre-push")), words).toBe(true);
        expect(readFileSync(join(stage.path, ".git/config"), "utf8")).not.toContain("evil");
        expect(existsSync(join(stage.path, ".git/hooks/pre-push"))).toBe(false);
      }
      expect(isReported).toEqual(Object.fromEntries(withGit.map(([words]) => [words, true])));

      for (const words of [["status"], ["list"], ["validate"], ["doctor"], ["logs", STORY]]) {
        restore();
        await stage.run(...words);
        expect(stage.ran(), words.join(" ")).toBe("");
      }

      restore();
      await lookAtDashboard(stage);
      expect(stage.ran(), "dashboard").toBe("");
      // What a background process removed is reported by the next command.
      expect((await stage.run("status")).stderr).toContain("filter.evil.clean");

      restore();
      const { stderr } = await resume(stage);
      expect(stage.ran(), "resume").toBe("");
      expect(stderr).toContain("filter.evil.clean");
      expect((await stage.run("status")).stderr).toBe("");
      // The person's own filter has run on all of it.
      for (const name of ["form", "page"]) {
        expect(stage.git("cat-file", "blob", `story/${STORY}:${name}.own`)).toBe(
          name.toUpperCase(),
        );
      }
    },
    LONG,
  );

  it(
    "is not run by a verification or a merge if a check planted it",
    async () => {
      const stage = await plantedStage({
        tasks: [aTask("form")],
        steps: {
          form: [
            { write: ".gitattributes", content: ATTRIBUTES },
            { write: "form.txt", content: "form\n" },
          ],
        },
        story: { checks: ["sh ../../../../check.sh"] },
      });
      stage.git("switch", "--quiet", "--create", "elsewhere");
      const check = join(stage.base, "check.sh");
      writeFileSync(check, `sh ${stage.base}/plant.sh\nsleep 600\n`);
      await killWhenPlanted(stage);
      writeFileSync(check, "exit 0\n");
      const restore = rememberedState(stage);
      for (const commands of [["verify"], ["resume", "merge"], ["push"]]) {
        restore();
        for (const command of commands) {
          const done = command === "resume" ? await resume(stage) : await stage.run(command, STORY);
          expect(done.exitCode, `${command}: ${done.stdout}${done.stderr}`).toBe(0);
          expect(stage.ran(), command).toBe("");
        }
      }
    },
    LONG,
  );
});

it(
  "a person's own filters run, from the repository's and the user's settings, and an agent's are logged",
  async () => {
    const stage = await plantedStage({
      tasks: [aTask("form"), aTask("page", { blockedBy: ["form"] })],
      steps: {
        form: [
          { write: ".gitattributes", content: ATTRIBUTES },
          { write: "form.own", content: "form\n" },
          { write: "form.all", content: "form\n" },
        ],
        page: [
          { run: "sh ../../../../plant.sh && touch ../../../../armed" },
          { write: "page.txt", content: "page\n" },
        ],
      },
    });
    const settings = join(stage.base, "gitconfig");
    writeFileSync(settings, '[filter "all"]\n\tclean = tr a-z 0-9\n');
    const env = { GIT_CONFIG_GLOBAL: settings };
    const ended = await stage.runWith({ env }, "run", STORY, "--foreground");
    expect(ended.exitCode, ended.stdout + ended.stderr).toBe(0);
    expect(stage.ran()).toBe("");
    expect(ended.stdout).toContain("filter.evil.clean");
    expect(ended.stderr).toContain("filter.evil.clean");
    const blob = (name: string): string =>
      execFileSync("git", ["cat-file", "blob", `story/${STORY}:${name}`], {
        cwd: stage.path,
        encoding: "utf8",
      });
    expect([blob("form.own"), blob("form.all")]).toEqual(["FORM\n", "5999\n"]);
  },
  LONG,
);
