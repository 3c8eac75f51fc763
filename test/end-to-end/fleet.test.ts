import { expect, it } from "vitest";
import { commitEpic, newFleetStage } from "../support/fleet-stage.ts";
import { asking, usePostgres } from "../support/postgres.ts";
import { follows } from "../support/stage.ts";

const postgres = usePostgres();

const SECRET = "sk-live-5f0c4e1d9a7b42f38e6d";

/** Everything that the fleet keeps in its database, as text. */
const allRows = (url: string): Promise<string> =>
  asking(url, async ({ query }) => {
    const tables = await query<{ readonly name: string }>(
      "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname LIKE 'saga%'",
    );
    const texts: string[] = [];
    for (const { name } of tables) {
      const rows = await query<{ readonly text: string }>(
        `SELECT t::text AS text FROM ${name} AS t`,
      );
      texts.push(...rows.map(({ text }) => text));
    }
    return texts.join("\n");
  });

it(
  "runs an epic on two members: each story once, in its order, and all of them merged",
  { timeout: 120_000 },
  async () => {
    const stage = await newFleetStage(
      await postgres(),
      follows({
        "cart-one": [{ run: `echo ${SECRET}` }, { write: "cart-one.txt", content: "cart\n" }],
      }),
    );
    const ann = stage.newMember("ann", { SHOP_API_TOKEN: SECRET });
    commitEpic(ann, "shop", { cart: [], price: [], order: ["cart", "price"] });
    const init = await ann.run("fleet", "init", "--name", "shop");
    expect(init.stdout).toContain("The fleet shop is set up");
    ann.git("commit", "--quiet", "--all", "--message=Fleet");
    ann.git("push", "--quiet", "origin", "HEAD:main");
    const bob = stage.newMember("bob", { SHOP_API_TOKEN: SECRET });
    const members = [ann.join("--slots", "1"), bob.join("--slots", "1")];
    const followed = await ann.run("epic", "run", "shop", "--fleet", "--merge");
    expect(followed).toMatchObject({ exitCode: 0, stdout: "✓ All stories of shop are done\n" });

    const commits = stage
      .remoteGit("log", "--reverse", "--format=%(trailers:key=Saga-Task,valueonly)", "main")
      .split("\n")
      .filter(Boolean);
    expect(commits.toSorted()).toEqual(["cart-one", "order-one", "price-one"]);
    expect(commits.at(-1)).toBe("order-one");
    // Nothing is left at the remote of stories that have landed.
    const left = Object.keys(stage.remoteRefs()).filter(
      (ref) => !ref.startsWith("refs/saga/lane/"),
    );
    expect(left).toEqual(["refs/heads/main"]);
    const both = members.map((one) => one.output()).join("");
    expect(both.match(/ started$/gm)).toHaveLength(3);
    for (const member of members) expect(await member.leave()).toBe(0);
    expect(both).not.toContain(SECRET);
    const rows = await allRows(stage.url);
    expect(rows).toContain("cart-one");
    expect(rows).not.toContain(SECRET);
    expect(await bob.json("fleet", "status")).toMatchObject({
      fleet: "shop",
      machine: "bob",
      machines: [
        { name: "ann", state: "left", stories: [] },
        { name: "bob", state: "left", stories: [] },
      ],
    });
    expect([...ann.processes(), ...bob.processes()]).toEqual([]);
  },
);

it(
  "starts no further story when the budget of an epic's run is spent, and continues with a new one",
  { timeout: 120_000 },
  async () => {
    const stage = await newFleetStage(await postgres(), follows({}));
    const ann = stage.newMember("ann");
    const config = '[fleet]\nname = "shop"\n[budget]\nepic = 0.001\n';
    commitEpic(ann, "shop", { cart: [], price: [], order: ["cart"] }, { config });
    expect(await ann.run("fleet", "init")).toMatchObject({ exitCode: 0 });
    const bob = stage.newMember("bob");
    const member = bob.join("--slots", "1");
    const run = (...words: string[]) =>
      ann.run("epic", "run", "shop", "--fleet", "--merge", ...words);
    const first = await run();
    expect(first.exitCode).toBe(2);
    expect(first.stderr).toMatch(/Cost limit of this run reached: \S+ of \S+ spent\./);
    expect(first.stdout).toContain("`saga epic run shop --fleet --merge` continues");
    const started = (): string[] => [
      ...new Set([...member.output().matchAll(/(\w+) started$/gm)].map(([, id = ""]) => id)),
    ];
    expect(started()).toHaveLength(1);
    expect((await bob.run("fleet", "status")).stdout).toContain(
      "its epic's budget is spent: `saga epic run shop --fleet`",
    );
    const second = await run("--max-cost", "5");
    expect(second).toMatchObject({ exitCode: 0, stdout: "✓ All stories of shop are done\n" });
    expect(started()).toHaveLength(3);
    expect(await member.leave()).toBe(0);
  },
);
