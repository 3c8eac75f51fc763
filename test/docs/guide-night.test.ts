import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, it } from "vitest";
import { isKnown } from "../../scripts/reference/file-table.ts";
import { processesWith } from "../../src/machine/processes/process-tree.ts";
import { followPage, type Scene } from "../support/docs/page.ts";
import { GUIDE, SECOND_HALF } from "../support/docs/guide.ts";

const GO = "go-on";

it("the guide's second half does what it says", { timeout: 240_000 }, async () => {
  const { run, notRun, files } = await followPage(GUIDE, {
    from: SECOND_HALF,
    agents: {
      steps: {
        "sort-files": () => [
          { write: "src/tidy.js", content: "exports.tidy = () => [];\n" },
          { run: `until [ -e ../../../../${GO} ]; do sleep 0.05; done` },
        ],
      },
      pool: {
        "3": (received) => (received.includes("Green.") ? undefined : [ASK]),
      },
    },
    scenes: { "next-day": nextDay, "a-crash": crash, "a-remote": remote },
  });
  expect(run).toBeGreaterThan(40);
  expect(notRun).toHaveLength(1);
  expect(files.length).toBeGreaterThan(30);
  expect(files.filter((file) => !isKnown(file))).toEqual([]);
});

const ASK = { tool: "mcp__saga__report_blocker", input: { title: "Green or blue?" } };

/** What the first half has left. */
async function nextDay({ type }: Scene): Promise<void> {
  await type("saga init");
  await type("saga new epic sharing --description 'People share notes.'");
  for (const story of ["link", "mail"]) {
    await type(`saga new story ${story} --epic sharing --description 'Share it.'`);
    await type(`saga new task sharing--${story} make --description 'Make it.'`);
  }
  await type("git add .saga && git commit --quiet --message='Use Saga'");
}

/** A worker is killed while its agent is at work, and everything with it. */
async function crash({ type, path }: Scene): Promise<void> {
  await type("saga new story tidy --description 'Notes in their order.'");
  await type("saga new task tidy sort-files --description 'Newest first.'");
  await type("saga run tidy");
  while (!(await type("saga logs tidy || true")).includes(GO)) await wait(100);
  for (const { pid } of processesWith("SAGA_STORY_ID", "tidy")) killIfThere(pid);
  writeFileSync(join(path, "..", GO), "");
}

/** Some of them are over in a moment by themselves. */
function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

const remote = ({ path }: Scene): void =>
  void execFileSync("git", [
    "init",
    "--quiet",
    "--bare",
    "--initial-branch=main",
    join(path, "../notes.git"),
  ]);
