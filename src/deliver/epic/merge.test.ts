import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { follow } from "../../../test/support/dashboard.ts";
import {
  awaitsMerge,
  commitOnMain as onMain,
  deliveredEpic as delivered,
} from "../../../test/support/delivered-epic.ts";
import { anEpic, aStory, newFolder, type CommandOutput } from "../../../test/support/project.ts";
import type { TestRepository } from "../../../test/support/repository.ts";
import { expectExit } from "../../../test/support/expect-exit.ts";

describe("saga merge <epic>", () => {
  it("merges the epic's branch into its target when the checks pass there, once", async () => {
    const test = delivered();
    expect(await awaitsMerge(test)).toBe(true);
    const was = onMain(test, "other.txt", "other\n");
    const waits = await test.sagaWithEnv(test.env, "merge", "shop", "--json");
    expect(waits.json()).toMatchObject({ epic: "shop", kind: "checked-out", isUpdatable: true });
    expect(test.git("rev-parse", "main")).toBe(was);
    const merged = await expectExit(
      0,
      test.sagaWithEnv(test.env, "merge", "shop", "--update-checkout"),
    );
    expect(merged.stdout).toContain("Epic shop: merged into main (");
    expect(test.git("log", "-1", "--format=%B")).toBe(
      "Merge epic/shop into main\n\nSaga-Epic: shop",
    );
    expect(test.git("rev-list", "main").split("\n")).toEqual(
      expect.arrayContaining([was, test.git("rev-parse", "epic/shop")]),
    );
    expect(test.git("status", "--short")).toBe("");
    expect(test.json(".saga/epics/shop/epic.json")).toMatchObject({ status: "completed" });
    expect(await awaitsMerge(test)).toBe(false);
    const again = await test.sagaWithEnv(test.env, "merge", "shop", "--json");
    expect(again.json()).toMatchObject({ kind: "merged", wasThere: true, into: "main" });
    expect(test.git("worktree", "list").split("\n")).toHaveLength(1);
  });

  it("ends before any check when the person declines, and asks nothing once it is merged", async () => {
    const log = join(newFolder().path, "checks");
    const test = delivered({ checks: [`echo run >> '${log}'`] });
    const answered = (answer: string): Promise<CommandOutput> =>
      test.sagaAnswered({ answer, env: test.env }, "merge", "shop");
    const refs = test.git("for-each-ref");
    const no = await answered("n");
    expect([no.exitCode, no.stdout]).toEqual([
      4,
      "shop was not merged; nothing was changed.\nMerge it and update that checkout: `saga merge shop --update-checkout`\n",
    ]);
    expect(test.git("for-each-ref")).toBe(refs);
    expect(existsSync(log)).toBe(false);
    expect((await answered("y")).exitCode).toBe(0);
    expect(existsSync(log)).toBe(true);
    const again = await answered("n");
    expect([again.exitCode, again.stderr]).toEqual([0, ""]);
  });

  it("changes nothing when a check of one of its stories fails on the merge result", async () => {
    const test = delivered({ checks: ["test ! -e clash.txt"] });
    const was = onMain(test, "clash.txt", "clash\n");
    const refused = await expectExit(
      1,
      test.sagaWithEnv(test.env, "merge", "shop", "--update-checkout"),
    );
    expect(refused.stdout).toContain("The check `test ! -e clash.txt` failed (exit 1).");
    expect(test.git("rev-parse", "main")).toBe(was);
  });

  it("names the conflicting files and how to resolve them", async () => {
    const test = delivered();
    const was = onMain(test, "cart.txt", "another\n");
    const refused = await expectExit(
      1,
      test.sagaWithEnv(test.env, "merge", "shop", "--update-checkout"),
    );
    expect(refused.stdout).toContain("Epic shop conflicts with main in cart.txt.");
    expect(refused.stdout).toContain("git switch epic/shop && git merge main");
    expect(test.git("rev-parse", "main")).toBe(was);
  });

  it("is refused while a story is not in the epic's branch, and for an epic without one", async () => {
    const test = delivered();
    test.write(".saga/stories/shop--more/story.json", aStory("shop--more"));
    const children = ["shop--cart", "shop--pay", "shop--more"].map((id) => ({ id }));
    test.write(".saga/epics/shop/epic.json", anEpic("shop", children, { delivery: "epic-branch" }));
    expect(await awaitsMerge(test)).toBe(false);
    const early = await test.sagaWithEnv(test.env, "merge", "shop");
    expect(early.stderr).toContain("not all of its stories are merged into epic/shop: shop--more");
    test.write(".saga/epics/shop/epic.json", anEpic("shop", children));
    const plain = await test.sagaWithEnv(test.env, "merge", "shop");
    expect(plain.stderr).toContain(
      "Cannot merge the epic shop as a whole: its stories are merged one by one.",
    );
  });

  it("merges at the remote if there is one, and names the command that updates the local branch", async () => {
    const test = delivered({ isRemote: true });
    test.write(".saga/config.toml", '[git]\npush = "always"\n');
    const merged = await expectExit(0, test.sagaWithEnv(test.env, "merge", "shop"));
    expect(merged.stdout).toContain("main here is behind the remote now: `git pull` updates it.");
    expect(test.git("ls-tree", "--name-only", "origin/main")).toContain("pay.txt");
    expect(await awaitsMerge(test)).toBe(false);
  });
});

describe("an epic that was merged without Saga", () => {
  const toMerge = async (test: TestRepository): Promise<unknown> =>
    (await test.sagaWithEnv(test.env, "status", "--json")).json()["epicsToMerge"];

  it.each([
    ["merged", ["--no-ff", "--message=Merge"]],
    ["squashed", ["--squash"]],
  ])("and %s is not offered for a merge once the local target contains it", async (kind, words) => {
    const test = delivered();
    onMain(test, "other.txt", "other\n");
    expect(await toMerge(test)).toMatchObject([{ epic: "shop" }]);
    test.git("merge", "--quiet", ...words, "epic/shop");
    if (kind === "squashed") test.git("commit", "--quiet", "--message=Squash");
    expect(await toMerge(test)).toEqual([]);
    expect(await awaitsMerge(test)).toBe(false);
  });

  it("at the remote is not offered for a merge after a fetch, also when its branch was deleted there", async () => {
    const test = delivered({ isRemote: true });
    test.git("push", "--quiet", "origin", "epic/shop:main", ":epic/shop");
    test.git("update-ref", "refs/remotes/origin/main", "main");
    expect(await toMerge(test)).toMatchObject([{ epic: "shop" }]);
    test.git("fetch", "--quiet", "--prune", "origin");
    expect(await toMerge(test)).toEqual([]);
  });

  it("is not offered for a merge on the dashboard either", async () => {
    const test = delivered();
    const { entities, until } = await follow(test);
    const card = () => entities.get("epics", "shop");
    await until(() => card()?.awaitsMerge === true);
    test.git("merge", "--quiet", "--no-ff", "--message=Merge", "epic/shop");
    // As the merge of a real epic does: the last story completes it.
    test.write(".saga/epics/shop/epic.json", { ...test.json(".saga/epics/shop/epic.json") });
    await until(() => card()?.awaitsMerge !== true);
    expect(await awaitsMerge(test)).toBe(false);
  });
});
