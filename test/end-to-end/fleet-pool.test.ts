import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { stepsOfTask } from "../../src/rehearsal/steps.ts";
import { scriptedAgent } from "../../src/rehearsal/scripted-agent.ts";
import type { Script } from "../../src/rehearsal/model-server.ts";
import { newFleetStage, silence } from "../support/fleet-stage.ts";
import { IGNORED } from "../../src/store/project/layout.ts";
import { EXIT } from "../../src/story/state/exit-codes.ts";
import { usePostgres } from "../support/postgres.ts";
import { becomesTrue } from "../support/until.ts";

const postgres = usePostgres();
const LIST = "loose";
const IDS = ["1", "2", "3", "4", "5", "6"];
const storyOf = (id: string): string => `${LIST}--task-${id}`;

/** A fleet whose project is a pool. */
async function newPoolFleet(script: Script) {
  const stage = await newFleetStage(await postgres(), script);
  const ann = stage.newMember("ann");
  ann.write("README.md", "# A project\n");
  ann.write(".saga/.gitignore", `${IGNORED.join("\n")}\n`);
  ann.write(
    ".saga/config.toml",
    `[auto]\ntask_list_id = "${LIST}"\nchecks = ["test -e README.md"]\n[fleet]\nname = "shop"\n`,
  );
  ann.git("add", "--all");
  ann.git("commit", "--quiet", "--message=First");
  ann.git("push", "--quiet", "origin", "HEAD:main");
  expect(await ann.run("fleet", "init")).toMatchObject({ exitCode: 0 });
  return { stage, ann };
}

it(
  "does the tasks of a pool on the fleet, each once, also when the machine that has some of them dies",
  { timeout: 180_000 },
  async () => {
    let isFree = false;
    const script = scriptedAgent((taskId) =>
      stepsOfTask(taskId, [
        { write: `${taskId}.txt`, content: `${taskId}\n` },
        ...(isFree || !["task-1", "task-2"].includes(taskId) ? [] : [{ run: "sleep 300" }]),
      ]),
    );
    const { stage, ann } = await newPoolFleet(script);
    const bob = stage.newMember("bob");
    for (const id of IDS) {
      // The first two are the most urgent; the last one waits for the third.
      const more = Number(id) < 3 ? ["--priority", "0"] : [];
      const after = id === "6" ? ["--blocked-by", "3"] : [];
      const added = await ann.run("task", "add", `Task ${id}`, ...more, ...after);
      expect(added).toMatchObject({ exitCode: 0 });
    }

    const first = bob.join("--slots", "2");
    const followed = ann.run("auto", "--fleet", "--json");
    await first.printed(/task-1 started[^]*task-2 started|task-2 started[^]*task-1 started/);
    await becomesTrue("bob's agents have written their files", () =>
      ["1", "2"].every((id) =>
        existsSync(join(bob.path, `.saga/worktrees/${storyOf(id)}/task-${id}.txt`)),
      ),
    );
    expect((await ann.run("task", "list")).stdout).toContain("fleet: bob");
    bob.kill();
    isFree = true;
    await silence(stage);
    const second = ann.join("--slots", "3");

    const { exitCode, stdout } = await followed;
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      isDone: true,
      tasks: Object.fromEntries(IDS.map((id) => [id, storyOf(id)])),
    });
    const tasks = stage
      .remoteGit("log", "--format=%(trailers:key=Saga-Task,valueonly)", "main")
      .split("\n")
      .filter(Boolean);
    expect(tasks.toSorted()).toEqual(IDS.map((id) => `task-${id}`));
    const { tasks: listed } = (await ann.json("task", "list")) as {
      readonly tasks: readonly { readonly state: string }[];
    };
    expect(listed.map(({ state }) => state)).toEqual(IDS.map(() => "completed"));
    // Repeating it finds nothing to do.
    expect((await ann.run("auto", "--fleet")).stdout).toBe("loose has no task for the fleet.\n");
    expect(await second.leave()).toBe(0);
  },
);

it(
  "asks a person about a task that needs no change, and completes it when they say so",
  { timeout: 180_000 },
  async () => {
    const script = scriptedAgent((taskId) => stepsOfTask(taskId, [{ run: "test -e README.md" }]));
    const { stage, ann } = await newPoolFleet(script);
    expect(await ann.run("task", "add", "Look whether README is there")).toMatchObject({
      exitCode: 0,
    });
    const bob = stage.newMember("bob");
    const joined = bob.join();
    const story = storyOf("1");
    const asked = await ann.run("auto", "--fleet");
    expect(asked.exitCode).toBe(EXIT.question);
    expect(asked.stdout).toContain(`${story} of ${LIST} needs a person`);
    const shown = await ann.run("show", story);
    expect(shown.stdout).toContain("no file was changed");
    const answered = await ann.run("resolve", story, "Yes, nothing is missing.");
    expect(answered).toMatchObject({ exitCode: 0 });
    const done = await ann.run("auto", "--fleet", "--json");
    expect(done.exitCode, done.stderr).toBe(0);
    const { tasks } = (await ann.json("task", "list")) as {
      readonly tasks: readonly { readonly state: string }[];
    };
    expect(tasks.map(({ state }) => state)).toEqual(["completed"]);
    expect(Object.keys(stage.remoteRefs()).filter((ref) => ref.includes(story))).toEqual([]);
    expect(await joined.leave()).toBe(0);
  },
);
