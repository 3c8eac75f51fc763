import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newClones } from "../../../../test/support/clones.ts";
import { newRepository } from "../../../../test/support/repository.ts";
import { asking, newDatabase, usePostgres } from "../../../../test/support/postgres.ts";
import { nameFor } from "./init.ts";

const postgres = usePostgres();

it("creates the fleet once, writes its name, and gives a role the rights of a member", async () => {
  const { ann, bob } = await newClones();
  const url = await newDatabase(await postgres());
  const env = { ...ann.env, SAGA_FLEET_URL: url };
  await asking(url, ({ query }) => query(`CREATE ROLE "member of ${url.slice(-8)}" LOGIN`));
  const role = `member of ${url.slice(-8)}`;
  const made = await ann.sagaWithEnv(env, "fleet", "init", "--name", "shop", "--grant", role);
  expect(made.stdout).toContain("The fleet shop is set up");
  expect(ann.read(".saga/config.toml")).toContain('name = "shop"');
  expect((await ann.sagaWithEnv(env, "fleet", "init")).exitCode).toBe(0);
  const asMember = url.replace("saga@", `${encodeURIComponent(role)}@`);
  bob.write(".saga/config.toml", '[fleet]\nname = "shop"\n');
  const member = { ...bob.env, SAGA_FLEET_URL: asMember };
  expect((await bob.sagaWithEnv(member, "fleet", "status")).exitCode).toBe(0);
  const other = await bob.sagaWithEnv(member, "fleet", "init", "--name", "blog");
  expect(other.stderr).toContain("The database user lacks a right that this needs.");
});

it("changes nothing when it refuses", async () => {
  const url = await newDatabase(await postgres());
  const schemas = () =>
    asking(url, ({ query }) =>
      query("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'saga%'"),
    );
  const alone = newRepository();
  const env = { ...alone.env, SAGA_FLEET_URL: url };
  const without = await alone.sagaWithEnv(env, "fleet", "init", "--name", "shop");
  expect(without.stderr).toContain("A fleet needs a remote");
  const { ann, remote } = await newClones();
  const bad = await ann.sagaWithEnv(env, "fleet", "init", "--name", "No Name");
  expect(bad.stderr).toContain('`fleet.name` ("No Name") is not a name');
  ann.write(".saga/config.toml", '[git]\npush = "never"\n');
  const never = await ann.sagaWithEnv(env, "fleet", "init", "--name", "shop");
  expect(never.stderr).toContain("A fleet needs pushes");
  ann.write(".saga/config.toml", "");
  const init = (address: string | undefined) =>
    ann.sagaWithEnv({ ...ann.env, SAGA_FLEET_URL: address }, "fleet", "init", "--name", "shop");
  expect((await init(undefined)).stderr).toContain(
    "The address of the fleet's database is not set",
  );
  expect((await init("localhost:5432")).stderr).toContain("is not the address of a PostgreSQL");
  expect((await init("postgres://saga@127.0.0.1:1/x")).stderr).toContain("cannot be reached");
  expect((await init(`${url}_not`)).stderr).toContain("does not exist on that server");
  const unknown = await ann.sagaWithEnv(
    env,
    "fleet",
    "init",
    "--name",
    "shop",
    "--grant",
    "no-one",
  );
  expect(unknown.stderr).toContain("The database has no role no-one.");
  writeFileSync(join(remote, "hooks/pre-receive"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  expect((await init(url)).stderr).toContain("This machine cannot push to origin");
  expect(ann.read(".saga/config.toml")).not.toContain("shop");
  expect(await schemas()).toEqual([]);
});

it.each([
  ["My Shop!", undefined, undefined, "my-shop"],
  ["123", undefined, undefined, "fleet"],
  ["x", "blog", undefined, "blog"],
  ["x", "blog", "shop", "shop"],
])("in %s, with the setting %s, and %s given: %s", (folder, name, given, expected) => {
  expect(nameFor({ fleet: { name } }, given, folder)).toBe(expected);
});
