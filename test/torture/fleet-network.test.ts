import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { newMemberNetwork, type Cable, type MemberNetwork } from "../support/fleet-chaos/cables.ts";
import { startGitDaemon } from "../support/fleet-chaos/git-daemon.ts";
import { newTcpGate } from "../support/fleet-chaos/tcp-gate.ts";
import { commitEpic, newFleetStage } from "../support/fleet-stage.ts";
import { isTorture } from "../support/kill-places.ts";
import { usePostgres } from "../support/postgres.ts";
import { builtSaga } from "../support/programs.ts";
import { follows } from "../support/stage.ts";
import { becomesTrue } from "../support/until.ts";

const postgres = usePostgres();
const TASKS = ["one", "two"];

/** Ann's machine, in a network with a cable each to the database, the remote and the model. */
async function newWorld(network: MemberNetwork) {
  const [toDatabase, toRemote, toModel] = network.cables as readonly [Cable, Cable, Cable];
  const stage = await newFleetStage(
    await postgres(),
    follows(
      Object.fromEntries(
        TASKS.map((task) => [
          `cart-${task}`,
          [
            { write: `cart-${task}.txt`, content: "done\n" },
            // A task continues when its file exists.
            { run: `until [ -e go-${task} ]; do sleep 0.1; done; rm go-${task}` },
          ],
        ]),
      ),
    ),
  );
  const database = new URL(stage.url);
  const gate = await newTcpGate(Number(database.port), toDatabase.host);
  database.host = `${toDatabase.host}:${gate.port}`;
  const model = new URL(stage.model.url("fleet"));
  const modelGate = await newTcpGate(Number(model.port), toModel.host);
  model.host = `${toModel.host}:${modelGate.port}`;
  const ann = stage.newMember("ann", {
    SAGA_FLEET_URL: database.href,
    ANTHROPIC_BASE_URL: model.href,
  });
  const config = '[watch]\nsilent_check_ins = 1000\n[fleet]\nname = "shop"\n';
  commitEpic(ann, "shop", { cart: [] }, { config, tasks: TASKS });
  const remote = await startGitDaemon(stage.folder, toRemote.host);
  ann.git("remote", "set-url", "origin", `${remote}/remote.git`);
  expect(await ann.run("fleet", "init")).toMatchObject({ exitCode: 0 });
  const words = [...network.inside, process.execPath, builtSaga];
  const joined = spawn("ip", [...words, "fleet", "join"], { cwd: ann.path, env: ann.env });
  let output = "";
  joined.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const worktree = join(ann.path, ".saga/worktrees/cart");
  return {
    stage,
    ann,
    toDatabase,
    toRemote,
    output: () => output,
    reports: (text: string): Promise<void> =>
      becomesTrue(`it reports: ${text}`, () => output.includes(text)),
    works: (task: string): Promise<void> =>
      becomesTrue(`the agent works on ${task}`, () =>
        existsSync(join(worktree, `cart-${task}.txt`)),
      ),
    letGo: (task: string): void => writeFileSync(join(worktree, `go-${task}`), ""),
    run: (...more: string[]) =>
      promisify(execFile)("ip", [...words, ...more], { cwd: ann.path, env: ann.env }).catch(
        (error: { stderr: string }) => ({ stdout: "", stderr: error.stderr }),
      ),
    leave: async (): Promise<void> => {
      const ended = once(joined, "exit");
      for (const pid of ann.processes()) process.kill(pid, "SIGTERM");
      await ended;
      expect(output).toContain("ann left shop");
    },
  };
}

function networkOr(skip: (why: string) => void, cables: number): MemberNetwork | undefined {
  try {
    return newMemberNetwork(cables);
  } catch (error) {
    skip(`No network namespace: ${String(error)}`);
    return undefined;
  }
}

/**
 * The chaos of fleet-chaos.test.ts cuts members off by doors on loopback. Here the cables themselves are pulled: packets
 * vanish, and no side gets an error. The remote is a git server.
 */
it.runIf(isTorture)(
  "a member that loses the remote, the database or both keeps its story, works on, and catches up",
  { timeout: 400_000 },
  async (context) => {
    const network = networkOr((why) => context.skip(why), 3);
    if (network === undefined) return;
    const world = await newWorld(network);
    const { stage, ann, toDatabase, toRemote, reports, works, letGo, run, leave } = world;
    await reports("ann joined shop");
    const queued = await ann.run("epic", "run", "shop", "--fleet", "--merge", "--detach");
    expect(queued.exitCode, queued.stderr).toBe(0);

    // Without the remote, the next task begins. Its machine still has the story.
    await works("one");
    toRemote.pull();
    letGo("one");
    await works("two");
    const { stdout } = await ann.run("fleet", "machines", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ machines: [{ name: "ann", state: "joined" }] });
    const atRemote = (ref: string): string =>
      stage.remoteGit("log", "--format=%(trailers:key=Saga-Task,valueonly)", ref);
    expect(atRemote("story/cart")).not.toContain("cart-one");

    // A command that needs the remote ends, and says why.
    const startedMs = performance.now();
    const refused = await run("fleet", "sync");
    expect(refused.stderr).toMatch(/origin could not be read: no answer within \d+ s/);
    expect(performance.now() - startedMs).toBeLessThan(60_000);

    // Without both, for less than its lease.
    toDatabase.pull();
    await reports("does not answer");
    toDatabase.plug();
    await reports("answers again");
    expect(atRemote("story/cart")).not.toContain("cart-one");
    toRemote.plug();
    await becomesTrue("the first task arrives at the remote", () =>
      atRemote("story/cart").includes("cart-one"),
    );

    // Without the database alone.
    toDatabase.pull();
    await becomesTrue("it reports that again", () => world.output().split("not answer").length > 2);
    toDatabase.plug();
    await becomesTrue("it is back", () => world.output().split("answers again").length > 2);
    letGo("two");
    await becomesTrue("cart is merged", () => atRemote("main").includes("cart-two"));
    expect(atRemote("main").split("\n").filter(Boolean).toSorted()).toEqual([
      "cart-one",
      "cart-two",
    ]);
    expect(world.output().match(/cart started/g)).toHaveLength(1);
    await becomesTrue("nothing is left at the remote", () =>
      Object.keys(stage.remoteRefs()).every((ref) => !ref.includes("cart")),
    );
    await leave();
  },
);
