// A story whose agent plants programs for git to run, and is killed with its worker right after.

import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { processesWith } from "../../src/machine/processes/process-tree.ts";
import { newStage, STORY, type Stage } from "./stage.ts";

const CONFIG = '[git]\npush = "always"\nbase = "main"\n[auto]\ntask_list_id = "chores"\n';
export const ATTRIBUTES =
  "*.txt filter=evil diff=evil merge=evil\n*.own filter=own\n*.all filter=all\n";

export interface Planted extends Stage {
  readonly base: string;
  /** What the planted programs have written: nothing, if none of them ran. */
  readonly ran: () => string;
  /** From now on they write it: the agent's own git may run them, as it may run anything. */
  readonly arm: () => void;
}

/** What the person has set up before; what the agent will set up is in `plant.sh`. */
export async function plantedStage(options: Parameters<typeof newStage>[0] = {}): Promise<Planted> {
  const stage = await newStage({ config: CONFIG, ...options });
  const base = join(stage.path, "..");
  const common = join(stage.path, ".git");
  stage.git("init", "--quiet", "--bare", join(base, "notes.git"));
  stage.git("remote", "add", "origin", "../notes.git");
  stage.git("push", "--quiet", "origin", "main");
  stage.git("config", "filter.own.clean", "tr a-z A-Z");
  const evil = `sh ${base}/evil.sh`;
  writeFileSync(
    join(base, "evil.sh"),
    `[ -e ${base}/armed ] && ps -o args= -p $PPID >> ${base}/ran\ncat\n`,
  );
  const filter = `[filter "evil"]\n\tclean = ${evil}\n\tsmudge = ${evil}\n`;
  writeFileSync(join(base, "settings"), filter);
  writeFileSync(
    join(base, "more"),
    [
      filter,
      `[diff]\n\texternal = ${evil}\n[diff "evil"]\n\ttextconv = ${evil}\n\tcommand = ${evil}\n`,
      `[merge "evil"]\n\tdriver = ${evil}\n`,
      `[core]\n\tfsmonitor = ${evil}\n\thooksPath = ${base}/hooks\n\tsshCommand = ${evil}\n`,
      `[include]\n\tpath = ${base}/settings\n[extensions]\n\tworktreeConfig = true\n`,
    ].join(""),
  );
  writeFileSync(join(base, "hook"), `#!/bin/sh\n${evil} < /dev/null\n`);
  chmodSync(join(base, "hook"), 0o755);
  writeFileSync(
    join(base, "plant.sh"),
    [
      `echo everything is planted`,
      `[ -e ${base}/planted ] && exit 0`,
      `touch ${base}/planted`,
      `mkdir ${base}/hooks`,
      `for hook in pre-push pre-commit post-checkout reference-transaction; do`,
      `  cp ${base}/hook ${base}/hooks/$hook; cp ${base}/hook ${common}/hooks/$hook`,
      `done`,
      `cat ${base}/more >> ${common}/config`,
      `cp ${base}/settings ${common}/config.worktree`,
      `cp ${base}/settings ${common}/worktrees/${STORY}/config.worktree`,
      `cp -R ${common} ${base}/other.git`,
      `echo ${base}/other.git > ${common}/worktrees/${STORY}/commondir`,
      `touch ${base}/is-planted`,
    ].join("\n"),
  );
  return {
    ...stage,
    base,
    ran: () => (existsSync(join(base, "ran")) ? readFileSync(join(base, "ran"), "utf8") : ""),
    arm: () => writeFileSync(join(base, "armed"), ""),
  };
}

/** Kills the worker as soon as everything is planted, and waits for what it had started. */
export async function killWhenPlanted(stage: Planted): Promise<void> {
  await stage.run("run", STORY);
  await expect.poll(() => existsSync(join(stage.base, "is-planted"))).toBe(true);
  const [run] = await stage.store.listRuns(STORY);
  process.kill(run?.worker?.pid ?? 0, "SIGKILL");
  const left = (): number => processesWith("SAGA_STORY_ID", STORY).length;
  await expect.poll(left).toBe(0);
  expect(readFileSync(join(stage.path, ".git/config"), "utf8")).toContain("evil.sh");
  stage.arm();
}
