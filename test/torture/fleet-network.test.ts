import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it, onTestFinished } from "vitest";
import { newTcpGate } from "../support/fleet-chaos/tcp-gate.ts";
import { commitEpic, newFleetStage } from "../support/fleet-stage.ts";
import { isTorture } from "../support/kill-places.ts";
import { usePostgres } from "../support/postgres.ts";
import { builtSaga } from "../support/programs.ts";
import { follows } from "../support/stage.ts";
import { becomesTrue } from "../support/until.ts";

const postgres = usePostgres();
const NETWORK = { namespace: `saga-${process.pid}`, link: `sg${process.pid}`.slice(0, 14) };
const [HOST, GUEST] = ["10.213.77.1", "10.213.77.2"];
const ip = (...words: string[]): void => void execFileSync("ip", words, { stdio: "pipe" });

/** A network of its own, with one cable to this machine. Returns why there is none: it needs root, and a kernel that allows it. */
function newNetwork(): string | undefined {
  const { namespace, link } = NETWORK;
  try {
    ip("netns", "add", namespace);
    onTestFinished(() => ip("netns", "del", namespace));
    ip("link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", namespace);
    ip("addr", "add", `${HOST}/30`, "dev", link);
    ip("link", "set", link, "up");
    ip("-n", namespace, "addr", "add", `${GUEST}/30`, "dev", "eth0");
    ip("-n", namespace, "link", "set", "eth0", "up");
    return undefined;
  } catch (error) {
    return String(error);
  }
}

/**
 * The chaos of fleet-chaos.test.ts cuts members off by doors on loopback, because their remote is a folder and their model
 * is on 127.0.0.1. Here the cable itself is pulled: packets vanish, and no side gets an error.
 */
it.runIf(isTorture)(
  "a member whose network cable is pulled says so, and works on when it is back",
  { timeout: 180_000 },
  async (context) => {
    const why = newNetwork();
    if (why !== undefined) return context.skip(`No network namespace: ${why}`);
    const stage = await newFleetStage(await postgres(), follows());
    const gate = await newTcpGate(Number(new URL(stage.url).port), HOST);
    const url = new URL(stage.url);
    url.host = `${HOST}:${gate.port}`;
    const ann = stage.newMember("ann", { SAGA_FLEET_URL: url.href });
    commitEpic(ann, "shop", { cart: [] }, { config: '[fleet]\nname = "shop"\n' });
    expect(await ann.run("fleet", "init")).toMatchObject({ exitCode: 0 });
    const words = [
      "netns",
      "exec",
      NETWORK.namespace,
      process.execPath,
      builtSaga,
      "fleet",
      "join",
    ];
    const joined = spawn("ip", words, { cwd: ann.path, env: ann.env });
    let output = "";
    joined.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
    const reports = (text: string): Promise<void> =>
      becomesTrue(`it reports: ${text}`, () => output.includes(text));
    await reports("ann joined shop");
    ip("link", "set", NETWORK.link, "down");
    await reports("does not answer");
    ip("link", "set", NETWORK.link, "up");
    await reports("answers again");
    const ended = once(joined, "exit");
    for (const pid of ann.processes()) process.kill(pid, "SIGTERM");
    await ended;
    expect(output).toContain("ann left shop");
  },
);
