import { chmodSync, existsSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { leftBehind, newDelivery, type Delivery } from "../../../test/support/delivery.ts";
import { STORY } from "../../../test/support/repository.ts";

function hook({ test }: Delivery, path: string, script: string): void {
  chmodSync(test.write(path, `#!/bin/sh\n${script}\n`), 0o755);
}

async function ready(): Promise<Delivery> {
  const delivery = await newDelivery({ isRemote: true });
  delivery.work({ "new.txt": "new\n" });
  delivery.meanwhile({ "other.txt": "other\n" });
  return delivery;
}

describe("a push to the target", () => {
  it("runs the repository's own hooks, which may refuse it", async () => {
    const delivery = await ready();
    const was = delivery.target();
    hook(delivery, ".git/hooks/pre-push", "echo not today >&2; exit 1");
    await expect(delivery.deliver()).rejects.toThrow("origin did not accept trunk: not today");
    expect(delivery.target()).toBe(was);
    hook(delivery, ".git/hooks/pre-push", "cat > pushed");
    expect(await delivery.deliver()).toMatchObject({ kind: "merged" });
    expect(delivery.test.read("pushed")).toContain("refs/heads/trunk");
  });

  it("that the remote refuses is an error with the remote's words", async () => {
    const delivery = await ready();
    const was = delivery.target();
    hook(delivery, "../origin.git/hooks/pre-receive", "echo protected; exit 1");
    await expect(delivery.deliver()).rejects.toThrow(/origin did not accept trunk: .*protected/s);
    expect(delivery.target()).toBe(was);
    expect(delivery.test.git("rev-parse", "origin/trunk")).toBe(was);
  });

  it("succeeds if only the answer was lost", async () => {
    const delivery = await ready();
    const push = "git push --quiet --no-verify";
    const script = `read -r _ commit ref _; ${push} origin "$commit:$ref"; exit 1`;
    hook(delivery, ".git/hooks/pre-push", script);
    const outcome = await delivery.deliver();
    expect(outcome).toMatchObject({ kind: "merged", commit: delivery.target() });
    expect(leftBehind(delivery.test)).toEqual([]);
  });

  it("leaves the local branch of the same name alone", async () => {
    const delivery = await ready();
    const here = delivery.test.git("rev-parse", "refs/heads/trunk");
    await delivery.deliver();
    expect(delivery.test.git("rev-parse", "refs/heads/trunk")).toBe(here);
    expect(delivery.target()).not.toBe(here);
  });
});

describe("a lock that a killed git left", () => {
  const leave = ({ test }: Delivery, ref: string): string => {
    const file = test.write(`.git/${ref}.lock`, "");
    utimesSync(file, new Date(0), new Date(0));
    return file;
  };

  it("on the records of the delivery is removed", async () => {
    const delivery = await newDelivery();
    const files = ["merge", "merged"].map((name) => leave(delivery, `refs/saga/${name}/${STORY}`));
    expect(await delivery.deliver()).toMatchObject({ kind: "merged" });
    expect(files.filter((file) => existsSync(file))).toEqual([]);
  });

  it("on the target is reported and left alone, and nothing is moved", async () => {
    const delivery = await newDelivery();
    const was = delivery.target();
    leave(delivery, "refs/heads/trunk");
    await expect(delivery.deliver()).rejects.toThrow(/trunk could not be updated: .*trunk\.lock/s);
    expect(delivery.target()).toBe(was);
  });
});

it("a branch that another checkout switches to counts as checked out", async () => {
  const delivery = await newDelivery();
  const at = join(dirname(delivery.test.path), "person's");
  delivery.work({ "new.txt": "new\n" });
  const was = delivery.target();
  const outcome = await delivery.deliver({
    verify: async () => {
      delivery.test.git("worktree", "add", "--quiet", at, "trunk");
      writeFileSync(join(at, "shared.txt"), "changed\n");
      return { isPassed: true };
    },
  });
  expect(outcome).toMatchObject({ kind: "checked-out", folder: at });
  expect(delivery.target()).toBe(was);
});

it("a checkout with an epic's pull request written by Saga is updated, and keeps it", async () => {
  const delivery = await newDelivery({ isRemote: false });
  const { test } = delivery;
  const file = ".saga/epics/shop/epic.json";
  delivery.meanwhile({ [file]: '{"id": "shop"}\n' });
  delivery.work({ "new.txt": "new\n" });
  const at = join(dirname(test.path), "person's");
  test.git("worktree", "add", "--quiet", at, "trunk");
  writeFileSync(join(at, file), '{"id": "shop", "pr": "local#1"}\n');
  expect(await delivery.deliver({ updateCheckouts: true })).toMatchObject({ kind: "merged" });
  expect(existsSync(join(at, "new.txt"))).toBe(true);
  expect(test.gitIn(at, "status", "--porcelain")).toBe(` M ${file}`);
  writeFileSync(join(at, "new.txt"), "mine\n");
  delivery.work({ "more.txt": "more\n" });
  expect(await delivery.deliver({ updateCheckouts: true })).toMatchObject({
    kind: "checked-out",
    why: "It has uncommitted changes: new.txt.",
  });
});
