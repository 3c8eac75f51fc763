import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { stepsOfTask } from "../../src/rehearsal/steps.ts";
import { scriptedAgent } from "../../src/rehearsal/scripted-agent.ts";
import type { RunEvent } from "../../src/story/state/run.ts";
import { commitEpic, newFleetStage } from "../support/fleet-stage.ts";
import { usePostgres } from "../support/postgres.ts";
import { becomesTrue } from "../support/until.ts";

const postgres = usePostgres();
const CONFIG = `[fleet]\nname = "shop"\n`;

/** `cart` asks once; `slow` runs until it is stopped. */
function askingAgent() {
  const started = new Set<string>();
  return scriptedAgent((taskId) => {
    const write = { write: `${taskId}.txt`, content: `${taskId}\n` };
    if (taskId === "slow-one") return stepsOfTask(taskId, [write, { run: "sleep 300" }]);
    if (started.has(taskId) || taskId !== "cart-one") return stepsOfTask(taskId, [write]);
    started.add(taskId);
    return stepsOfTask(taskId, [{ ask: "Which colour?" }]);
  });
}

it(
  "lets people answer, verify, send back, accept, merge and stop on a machine that did not work on the story",
  { timeout: 180_000 },
  async () => {
    const stage = await newFleetStage(await postgres(), askingAgent());
    const ann = stage.newMember("ann");
    commitEpic(ann, "shop", { cart: [], slow: [] }, { config: CONFIG });
    expect(await ann.run("fleet", "init")).toMatchObject({ exitCode: 0 });
    const bob = stage.newMember("bob");

    const asks = await ann.run("worker", "cart");
    expect(asks.exitCode).toBe(3);
    const answered = await bob.run("resolve", "cart", "Blue.");
    expect(answered.exitCode).toBe(0);
    // The answer travels with the story.
    const done = await ann.run("worker", "cart");
    expect(done.exitCode).toBe(0);

    // The gate runs here on what was done there. What a person sends back here is done there.
    const verified = await bob.run("verify", "cart");
    expect(verified.exitCode).toBe(0);
    expect(await bob.run("send-back", "cart", "Make it red.")).toMatchObject({ exitCode: 0 });
    expect(await ann.run("fleet", "sync")).toMatchObject({ exitCode: 0 });
    const shown = await ann.json("show", "cart");
    expect(shown).toMatchObject({ state: "sent-back", tasks: { total: 2, completed: 1 } });
    expect(await ann.run("worker", "cart")).toMatchObject({ exitCode: 0 });

    expect(await bob.run("accept", "cart")).toMatchObject({ exitCode: 0 });
    const merged = await bob.run("merge", "cart");
    expect(merged.exitCode).toBe(0);
    const tasksOnMain = stage
      .remoteGit("log", "--format=%(trailers:key=Saga-Task,valueonly)", "main")
      .split("\n")
      .filter(Boolean);
    expect(tasksOnMain).toHaveLength(2);
    expect(tasksOnMain.at(-1)).toBe("cart-one");

    const working = ann.run("worker", "slow", "--json");
    await becomesTrue("slow has written its file", () =>
      existsSync(join(ann.path, ".saga/worktrees/slow/slow-one.txt")),
    );
    expect((await bob.run("fleet", "status")).stdout).toMatch(/slow +running on ann/);
    const stopped = await bob.run("stop", "slow");
    expect(stopped.stdout).toContain("slow was stopped. Its work is kept.");
    expect(JSON.parse((await working).stdout)).toMatchObject({ outcome: "stopped" });

    // Logs and costs of all machines are known on each of them.
    const view = await bob.json("fleet", "status");
    expect(view["costs"]).toContainEqual({
      story: "slow",
      machine: "ann",
      runs: 1,
      costUsd: expect.any(Number) as number,
    });
    const log = (await bob.json("logs", "slow")) as { readonly events: readonly RunEvent[] };
    expect(log.events).toContainEqual(
      expect.objectContaining({ type: "tool.called", about: "slow-one.txt" }),
    );
    expect((await bob.json("show", "slow"))["state"]).toBe("stopped");
  },
);
