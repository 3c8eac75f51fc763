import { rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { leftBehind, newApart, stateOf, type Delivery } from "../../../test/support/delivery.ts";

describe("a target that is checked out", () => {
  async function checkedOut(): Promise<Delivery & { readonly at: string }> {
    const delivery = await newApart(false);
    const at = join(dirname(delivery.test.path), "person's");
    delivery.test.git("worktree", "add", "--quiet", at, "trunk");
    return { ...delivery, at };
  }

  it("is not moved; the verified commit waits", async () => {
    const delivery = await checkedOut();
    const { test, at } = delivery;
    writeFileSync(join(at, "shared.txt"), "changed\n");
    const before = stateOf(test, at);
    const outcome = await delivery.deliver();
    expect(outcome).toMatchObject({ kind: "checked-out", folder: at });
    const { commit } = outcome as { commit: string };
    expect(stateOf(test, at)).toBe(before);
    expect(await delivery.deliver({ updateCheckouts: true })).toMatchObject({
      kind: "checked-out",
      commit,
      why: "It has uncommitted changes: shared.txt.",
    });
    expect(stateOf(test, at)).toBe(before);
    // The same commit each time, and the person takes it.
    test.gitIn(at, "checkout", "--quiet", "shared.txt");
    const was = delivery.target();
    test.gitIn(at, "merge", "--quiet", "--ff-only", commit);
    expect(await delivery.deliver()).toEqual({ kind: "merged", commit, was });
    expect(leftBehind(test)).toEqual([]);
  });

  it("is not moved again after a person has just reset it", async () => {
    const delivery = await checkedOut();
    const { test, at } = delivery;
    let rounds = 0;
    const outcome = await delivery.deliver({
      updateCheckouts: true,
      verify: async () => {
        if (++rounds === 1) test.gitIn(at, "reset", "--quiet", "--hard", "HEAD~1");
        return { isPassed: true };
      },
    });
    expect([outcome.kind, rounds]).toEqual(["merged", 2]);
    expect(delivery.log("trunk")).not.toContain("meanwhile");
  });

  it("is recognised through a symbolic branch that leads to it", async () => {
    const delivery = await checkedOut();
    const { test, at } = delivery;
    test.git("symbolic-ref", "refs/heads/latest", "refs/heads/trunk");
    const before = stateOf(test, at);
    const target = { branch: "latest", place: "here" } as const;
    expect(await delivery.deliver({ target })).toMatchObject({ kind: "checked-out", folder: at });
    expect(stateOf(test, at)).toBe(before);
    expect(await delivery.deliver({ target, updateCheckouts: true })).toMatchObject({
      kind: "merged",
      commit: delivery.target(),
    });
    expect(test.gitIn(at, "status", "--porcelain")).toBe("");
  });

  it("is updated when that is allowed and it is clean", async () => {
    const delivery = await checkedOut();
    const { test, at } = delivery;
    writeFileSync(join(at, "note"), "mine\n");
    expect(await delivery.deliver({ updateCheckouts: true })).toMatchObject({ kind: "merged" });
    expect(test.gitIn(at, "status", "--porcelain")).toBe("?? note");
    expect(test.gitIn(at, "rev-parse", "HEAD")).toBe(delivery.target());
    expect(test.gitIn(at, "symbolic-ref", "HEAD")).toBe("refs/heads/trunk");
  });

  it.each([
    ["a file that git does not know", ""],
    ["a file that git ignores", "new.txt\n"],
  ])("stays as it is where %s is in the way", async (_, ignored) => {
    const delivery = await checkedOut();
    delivery.test.write(".git/info/exclude", ignored);
    writeFileSync(join(delivery.at, "new.txt"), "precious\n");
    const before = stateOf(delivery.test, delivery.at);
    expect(await delivery.deliver({ updateCheckouts: true })).toMatchObject({
      kind: "checked-out",
      why: expect.stringContaining("new.txt") as string,
    });
    expect(stateOf(delivery.test, delivery.at)).toBe(before);
  });

  it("is recognised when its folder is gone or not mounted", async () => {
    const delivery = await checkedOut();
    const was = delivery.target();
    rmSync(delivery.at, { recursive: true });
    expect(await delivery.deliver({ updateCheckouts: true })).toMatchObject({
      kind: "checked-out",
      why: "Its folder does not exist.",
    });
    expect(delivery.target()).toBe(was);
  });

  it("is recognised in the middle of a rebase", async () => {
    const delivery = await checkedOut();
    const { test, at } = delivery;
    writeFileSync(join(at, "mine.txt"), "mine\n");
    test.gitIn(at, "add", "mine.txt");
    test.gitIn(at, "commit", "--quiet", "--message=mine");
    const was = delivery.target();
    expect(() =>
      test.gitIn(at, "rebase", "--quiet", "--force-rebase", "--exec=false", "HEAD~1"),
    ).toThrow("Command failed");
    expect(await delivery.deliver({ updateCheckouts: true })).toMatchObject({
      kind: "checked-out",
      folder: at,
    });
    expect(delivery.target()).toBe(was);
  });
});
