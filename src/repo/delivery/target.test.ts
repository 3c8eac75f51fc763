import { chmodSync, existsSync, utimesSync } from "node:fs";
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
    await expect(delivery.deliver()).rejects.toThrow("origin rejected trunk: not today");
    expect(delivery.target()).toBe(was);
    hook(delivery, ".git/hooks/pre-push", "cat > pushed");
    expect(await delivery.deliver()).toMatchObject({ kind: "merged" });
    expect(delivery.test.read("pushed")).toContain("refs/heads/trunk");
  });

  it("that the remote refuses is an error with the remote's words", async () => {
    const delivery = await ready();
    const was = delivery.target();
    hook(delivery, "../origin.git/hooks/pre-receive", "echo protected; exit 1");
    await expect(delivery.deliver()).rejects.toThrow(/origin rejected trunk: .*protected/s);
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
