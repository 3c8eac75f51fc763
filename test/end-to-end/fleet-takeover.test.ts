import { expect, it } from "vitest";
import type { Script } from "../../src/rehearsal/model-server.ts";
import { stepsOfTask } from "../../src/rehearsal/steps.ts";
import { scriptedAgent } from "../../src/rehearsal/scripted-agent.ts";
import type { RunEvent } from "../../src/story/state/run.ts";
import {
  commitEpic,
  newFleetStage,
  silence,
  type FleetMember,
  type FleetStage,
} from "../support/fleet-stage.ts";
import { usePostgres } from "../support/postgres.ts";
import { becomesTrue } from "../support/until.ts";

const postgres = usePostgres();

/** The second task writes a file, and hangs until `release`. */
function hangingAgent(): { readonly script: Script; readonly release: () => void } {
  let isFree = false;
  const script = scriptedAgent((taskId) =>
    stepsOfTask(taskId, [
      { write: `${taskId}.txt`, content: `${taskId}\n` },
      ...(isFree || taskId === "cart-one" ? [] : [{ run: "sleep 300" }]),
    ]),
  );
  return { script, release: () => void (isFree = true) };
}

const CONFIG = `[watch]\ncheck_in_minutes = 0.02\nsilent_check_ins = 1000\n[fleet]\nname = "shop"\n`;

/** Two members; the story `cart` has two tasks, and its agent hangs in the second. */
async function newStage() {
  const { script, release } = hangingAgent();
  const stage = await newFleetStage(await postgres(), script);
  const ann = stage.newMember("ann");
  commitEpic(ann, "shop", { cart: [] }, { config: CONFIG, tasks: ["one", "two"] });
  expect(await ann.run("fleet", "init")).toMatchObject({ exitCode: 0 });
  return { stage, ann, bob: stage.newMember("bob"), release };
}

/** The first task's commit and the file that is not committed have arrived at the remote. */
const halfDone = (stage: FleetStage): Promise<void> =>
  becomesTrue("a snapshot with the half-done file", () => {
    const refs = Object.keys(stage.remoteRefs()).filter((ref) => ref.includes("/keep/cart/"));
    return refs.some((ref) => stage.remoteGit("ls-tree", "--name-only", ref).includes("cart-two"));
  });

const tasksOn = (stage: FleetStage, branch: string): string[] =>
  stage
    .remoteGit("log", "--reverse", "--format=%(trailers:key=Saga-Task,valueonly)", branch)
    .split("\n")
    .filter(Boolean);

async function stateOf({ json }: FleetMember): Promise<unknown> {
  const { stories } = (await json("list")) as { stories: { id: string; state: string }[] };
  const list = stories.find(({ id }) => id === "cart")?.state;
  return { list, show: (await json("show", "cart"))["state"] };
}

it(
  "continues a killed member's story on another one, with its commits and what was not committed",
  { timeout: 120_000 },
  async () => {
    const { stage, ann, bob, release } = await newStage();
    const first = ann.join();
    const followed = bob.run("epic", "run", "shop", "--fleet", "--merge");
    await first.printed(/cart started/);
    await halfDone(stage);
    ann.kill();
    release();
    const second = bob.join();
    await silence(stage);
    expect(await followed).toMatchObject({ exitCode: 0 });
    expect(tasksOn(stage, "main")).toEqual(["cart-one", "cart-two"]);
    const { events } = (await bob.json("logs", "cart")) as { events?: RunEvent[] };
    expect(events).toContainEqual(expect.objectContaining({ type: "taken-over", machine: "ann" }));
    expect(events).toContainEqual(expect.objectContaining({ type: "cycle.started", tasksLeft: 1 }));
    expect(await second.leave()).toBe(0);
  },
);

it(
  "lets a member that slept through its lease push nothing: its agent is stopped, its work is kept",
  { timeout: 120_000 },
  async () => {
    const { stage, ann, bob, release } = await newStage();
    const sleeping = ann.run("worker", "cart", "--json");
    await halfDone(stage);
    const refused = await bob.run("run", "cart");
    expect(refused.stderr).toContain(
      "cart is already running (a worker in the foreground on ann).",
    );
    const asleep = ann.processes();
    for (const pid of asleep) process.kill(pid, "SIGSTOP");
    await silence(stage);
    release();
    expect(await bob.run("worker", "cart")).toMatchObject({ exitCode: 0 });
    const refs = stage.remoteRefs();
    expect(tasksOn(stage, "story/cart")).toEqual(["cart-one", "cart-two"]);
    expect(await bob.run("fleet", "status")).toMatchObject({ exitCode: 0 });
    expect(await stateOf(bob)).toEqual({ list: "review", show: "review" });
    for (const pid of asleep) process.kill(pid, "SIGCONT");
    const woken = JSON.parse((await sleeping).stdout) as Record<string, unknown>;
    expect(woken).toMatchObject({ outcome: "killed", exitCode: 1 });
    expect(woken["reason"]).toContain("another one may continue the story");
    expect(stage.remoteRefs()).toEqual(refs);
    expect(ann.git("for-each-ref", "refs/saga/keep/cart")).not.toBe("");
    expect(await ann.run("fleet", "sync")).toMatchObject({ exitCode: 0 });
    expect(await stateOf(ann)).toEqual({ list: "review", show: "review" });
    expect(ann.processes()).toEqual([]);

    // The machine that lost the story agrees with the one that has it, before and after the merge.
    expect(await bob.run("merge", "cart")).toMatchObject({ exitCode: 0 });
    for (const member of [ann, bob]) {
      expect(await member.run("fleet", "sync")).toMatchObject({ exitCode: 0 });
      expect(await stateOf(member)).toEqual({ list: "completed", show: "completed" });
    }
  },
);
