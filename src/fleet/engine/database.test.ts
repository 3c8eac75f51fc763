import { expect, it } from "vitest";
import { asking, newDatabase, usePostgres } from "../../../test/support/postgres.ts";
import { openDatabase } from "./database.ts";

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
