import { expect, it } from "vitest";
import { asking, newDatabase, ownPostgres } from "../../../test/support/postgres.ts";

it("keeps what was committed over a crash, at the same address", async () => {
  const server = await ownPostgres();
  const url = await newDatabase(server);
  await asking(url, ({ query }) => query("CREATE TABLE t AS SELECT 7 AS x"));
  await server.stop("immediate");
  await expect(asking(url, ({ query }) => query("SELECT 1"))).rejects.toThrow("cannot be reached");
  await server.start();
  expect(await asking(url, ({ query }) => query("SELECT x FROM t"))).toEqual([{ x: 7 }]);
});
