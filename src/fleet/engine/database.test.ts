import { createServer, type AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { asking, newDatabase, usePostgres } from "../../../test/support/postgres.ts";
import { newTcpGate } from "../../../test/support/fleet-chaos/tcp-gate.ts";
import { becomesTrue } from "../../../test/support/until.ts";
import { openDatabase, type Database } from "./database.ts";

const postgres = usePostgres();

it.each([
  ["", "is not the address of a PostgreSQL database"],
  ["mysql://localhost/x", "is not the address of a PostgreSQL database"],
])("refuses %j as an address", (url, sentence) => {
  expect(() => openDatabase(url)).toThrow(sentence);
});

it("says what is wrong with the server, and shows no password", async () => {
  const server = await postgres();
  const secret = "hunter2-not-to-be-shown";
  const failing = async (url: string): Promise<string> => {
    const error: unknown = await asking(url, ({ query }) => query("SELECT 1")).catch(
      (thrown: unknown) => thrown,
    );
    const { message, hint, cause, stack } = error as Error & { readonly hint: string };
    expect([message, hint, stack, String(cause)].join()).not.toContain(secret);
    return message;
  };
  const withPassword = server.url("nowhere").replace("saga@", `saga:${secret}@`);
  expect(await failing(withPassword)).toBe("The fleet's database does not exist on that server.");
  expect(await failing(`postgres://saga:${secret}@127.0.0.1:1/x`)).toMatch(/cannot be reached/);
});

it("says what the address lacks: TLS that the server does not have, and a password", async () => {
  const failing = (url: string): Promise<unknown> =>
    asking(url, ({ query }) => query("SELECT 1")).catch((thrown: unknown) => thrown);
  const server = await postgres();
  expect(await failing(`${server.url()}?sslmode=verify-full`)).toMatchObject({
    message: "The fleet's database has no TLS, and `sslmode` asks for it.",
  });
  // The servers of tests trust everyone; this one asks for a password.
  const message = (code: number, text: string): Buffer => {
    const head = Buffer.from([0, 0, 0, text.length + 8, 0, 0, 0, code]);
    return Buffer.concat([Buffer.from("R"), head, Buffer.from(text)]);
  };
  const asks = createServer((socket) => {
    const answers = [message(10, "SCRAM-SHA-256\0\0"), message(11, "r=x,s=eA==,i=1")];
    socket.on("data", () => socket.write(answers.shift() ?? ""));
    socket.on("error", () => undefined);
  });
  await new Promise<void>((resolve) => void asks.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void asks.close());
  const { port } = asks.address() as AddressInfo;
  expect(await failing(`postgres://saga@127.0.0.1:${port}/x`)).toMatchObject({
    message: "The fleet's database wants a password.",
    hint: expect.stringContaining("SAGA_FLEET_URL") as string,
  });
});

it("does all of a transaction or nothing, and can be used after a failure", async () => {
  const url = await newDatabase(await postgres());
  await asking(url, async (database) => {
    await database.query("CREATE TABLE t (x int)");
    const failing = database.together(async (query) => {
      await query("INSERT INTO t VALUES (1)");
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    await database.together((query) => query("INSERT INTO t VALUES ($1)", [2]));
    expect(await database.query("SELECT x FROM t")).toEqual([{ x: 2 }]);
  });
});

/** Behind a door on loopback. Its last state, as it was reported. */
async function behindGate(probe: { probeEveryMs: number; probeDeadlineMs: number }) {
  const url = new URL(await newDatabase(await postgres()));
  const gate = await newTcpGate(Number(url.port));
  url.port = String(gate.port);
  const states: string[] = [];
  const database = openDatabase(url.href, {
    ...probe,
    onState: ({ kind }) => states.push(kind),
  });
  onTestFinished(database.close);
  await database.query("SELECT 1");
  return { gate, database, states };
}

const answers = ({ query }: Database): Promise<boolean> =>
  query("SELECT 1").then(
    () => true,
    () => false,
  );

it("notices connections that died without an error, and uses new ones", async () => {
  const { gate, database, states } = await behindGate({
    probeEveryMs: 100,
    probeDeadlineMs: 1_000,
  });
  gate.cut("forget");
  await becomesTrue("it was reported", () => states.includes("lost") && states.at(-1) === "back");
  expect(await answers(database)).toBe(true);
});

it("says that the database is away, and that it is back", async () => {
  const { gate, database, states } = await behindGate({ probeEveryMs: 100, probeDeadlineMs: 500 });
  gate.cut("hold");
  await becomesTrue("the loss was reported", () => states.at(-1) === "lost");
  expect(await answers(database)).toBe(false);
  gate.restore();
  await becomesTrue("the return was reported", () => states.at(-1) === "back");
  expect(await answers(database)).toBe(true);
});
