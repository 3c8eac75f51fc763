import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BRANCH, newApart, newDelivery } from "../../../test/support/delivery.ts";

describe("an agent that fakes git's history", () => {
  it("is verified by the real commit, not by a replacement", async () => {
    const delivery = await newDelivery();
    const good = delivery.work({ "new.txt": "good\n" });
    const bad = delivery.work({ "new.txt": "bad\n" });
    delivery.test.git("replace", bad, good);
    const contents: string[] = [];
    await delivery.deliver({
      verify: async (folder) => {
        contents.push(readFileSync(join(folder, "new.txt"), "utf8"));
        return { isPassed: true };
      },
    });
    expect(contents).toEqual(["bad\n"]);
  });

  it.each(["replace", "graft"])("does not count as delivered through a %s", async (how) => {
    const delivery = await newApart(false);
    const { test } = delivery;
    const [was, tip] = [delivery.target(), test.git("rev-parse", BRANCH)];
    if (how === "replace") test.git("replace", "--graft", was, tip);
    else test.write(".git/info/grafts", `${was} ${tip}\n`);
    const refused = { isPassed: false, reason: "A check failed." } as const;
    expect(await delivery.deliver({ verify: async () => refused })).toMatchObject({
      kind: "refused",
    });
    expect(delivery.target()).toBe(was);
  });
});
