import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { claude, newMachine } from "../../../test/support/examined.ts";
import { anEpic, aStory, aTask, newFolder, type Project } from "../../../test/support/project.ts";
import { openStore } from "../../store/file-store.ts";
import { expectExit } from "../../../test/support/expect-exit.ts";

/** Without tmux and Claude Code: a refusal needs neither. */
function aProject(): Project {
  const project = newFolder();
  project.write(".saga/config.toml", "");
  project.write(".saga/stories/s/story.json", aStory("s"));
  project.write(".saga/stories/s/t.json", aTask("t"));
  return project;
}

it.each([["--foreground"], ["--rehearse"], []])(
  "a story is not started without a commit to start from: run s %s",
  async (...how) => {
    const project = aProject();
    const run = () => project.saga("run", "s", ...how);
    const without = await expectExit(1, run());
    expect(without.stderr).toContain("is not in a git repository.");
    execFileSync("git", ["init", "--quiet"], { cwd: project.path });
    const empty = await expectExit(1, run());
    expect(empty.stderr).toContain("has no commit yet.\nMake a first commit");
    expect(empty.stdout).toBe("");
    expect(await openStore(project.path).listRuns("s")).toEqual([]);
  },
);

it.each([
  ["run", "s", "--foreground"],
  ["run", "s"],
  ["epic", "run", "e"],
  ["auto", "--no-oversee"],
])("nothing is started with an unsupported Claude Code: %s %s %s", async (...words) => {
  const project = aProject();
  project.write(".saga/epics/e/epic.json", anEpic("e", [{ id: "s", blockedBy: [] }]));
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@t", ...args], {
      cwd: project.path,
    });
  git("init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "--message=First");
  const machine = newMachine();
  machine.pretend("claude", claude({ version: "2.1.30 (Claude Code)" }));
  for (const program of ["git", "tmux", "sh"]) machine.install(program);
  const refused = await expectExit(1, project.sagaWithEnv(machine.env, ...words));
  expect(refused.stderr).toContain("Claude Code 2.1.30 is not supported.");
  expect(refused.stderr).toContain("2.1.33 or newer is supported");
  expect(await openStore(project.path).listRuns("s")).toEqual([]);
});
