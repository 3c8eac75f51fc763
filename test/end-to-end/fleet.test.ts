import { expect, it } from "vitest";
import { commitEpic, newFleetStage } from "../support/fleet-stage.ts";
import { usePostgres } from "../support/postgres.ts";
import { follows } from "../support/stage.ts";

const postgres = usePostgres();

it(
  "runs an epic on two members: each story once, in its order, and all of them merged",
  { timeout: 120_000 },
  async () => {
    const stage = await newFleetStage(await postgres(), follows());
    const ann = stage.newMember("ann");
    commitEpic(ann, "shop", { cart: [], price: [], order: ["cart", "price"] });
    const init = await ann.run("fleet", "init", "--name", "shop");
    expect(init.stdout).toContain("The fleet shop is set up");
    ann.git("commit", "--quiet", "--all", "--message=Fleet");
    ann.git("push", "--quiet", "origin", "HEAD:main");
    const bob = stage.newMember("bob");
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
    expect(Object.keys(stage.remoteRefs())).toEqual(["refs/heads/main"]);
    const both = members.map((one) => one.output()).join("");
    expect(both.match(/ started$/gm)).toHaveLength(3);
    for (const member of members) expect(await member.leave()).toBe(0);
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
