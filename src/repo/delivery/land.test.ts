import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  BRANCH,
  leftBehind,
  lines,
  newApart,
  newDelivery,
  SCRATCH,
  stateOf,
} from "../../../test/support/delivery.ts";
import { STORY } from "../../../test/support/repository.ts";
import type { LandStep } from "./land.ts";

const PLACES = [
  ["this repository", false],
  ["the remote", true],
] as const;

describe.each(PLACES)("a story delivered to a branch of %s", (_, isRemote) => {
  it("arrives rebased, as it was verified, and nothing else changes", async () => {
    const delivery = await newApart(isRemote);
    const { test, folder } = delivery;
    const was = delivery.target();
    const [project, story] = [stateOf(test, test.path), stateOf(test, folder)];
    const steps: string[] = [];
    const outcome = await delivery.deliver({
      onStep: ({ name, round }: LandStep) => steps.push(`${name} ${round}`),
      verify: async (at, commit, parts) => {
        expect(at).toBe(join(test.path, SCRATCH));
        expect(test.gitIn(at, "rev-parse", "HEAD")).toBe(commit);
        expect(test.gitIn(at, "status", "--porcelain", "--branch")).toBe("## HEAD (no branch)");
        expect(parts).toEqual({ tip: test.git("rev-parse", BRANCH), onto: was, work: commit });
        expect(delivery.target()).toBe(was);
        writeFileSync(join(at, "left by a check"), "left\n");
        return { isPassed: true };
      },
    });
    const commit = delivery.target();
    expect(outcome).toEqual({ kind: "merged", commit, was });
    expect(delivery.log(`${was}..${commit}`)).toEqual(["One", "Two"]);
    expect(delivery.show(commit, "shared.txt")).toBe(lines({ 3: "three", 20: "twenty" }).trimEnd());
    expect(test.git("rev-list", "--merges", commit)).toBe("");
    expect(steps).toEqual(["read 1", "combine 1", "verify 1", "record 1", "advance 1"]);
    expect([stateOf(test, test.path), stateOf(test, folder)]).toEqual([project, story]);
    expect(leftBehind(test)).toEqual([]);
    // What is known of the remote's is up to date.
    const known = isRemote ? "origin/trunk" : "trunk";
    expect(test.git("rev-parse", known)).toBe(commit);
  });

  it("gives the same result when it is delivered again", async () => {
    const delivery = await newApart(isRemote);
    const first = await delivery.deliver();
    const verify = () => Promise.reject(new Error("There is nothing to verify."));
    expect(await delivery.deliver({ verify })).toEqual(first);
    // Also when the target has gone on, over the same lines.
    delivery.meanwhile({ "shared.txt": lines({ 3: "III", 20: "XX" }) });
    const after = delivery.target();
    expect(await delivery.deliver({ verify })).toEqual(first);
    expect(delivery.target()).toBe(after);
  });

  it("changes nothing when it is refused", async () => {
    const delivery = await newApart(isRemote);
    const [was, refs] = [
      delivery.target(),
      delivery.test.git("for-each-ref", "refs/heads", "refs/saga"),
    ];
    const refused = { isPassed: false, reason: "A check failed." } as const;
    expect(await delivery.deliver({ verify: async () => refused })).toMatchObject({
      kind: "refused",
      reason: "A check failed.",
      receipts: [],
    });
    expect(delivery.target()).toBe(was);
    expect(delivery.test.git("for-each-ref", "refs/heads", "refs/saga")).toBe(refs);
    expect(leftBehind(delivery.test)).toEqual([]);
  });

  it("is combined and verified again when the target moves meanwhile", async () => {
    const delivery = await newApart(isRemote);
    const verified: string[] = [];
    const outcome = await delivery.deliver({
      verify: async (_folder, commit) => {
        verified.push(commit);
        if (verified.length === 1) delivery.meanwhile({ "other.txt": "other\n" });
        return { isPassed: true };
      },
    });
    expect(verified).toHaveLength(2);
    expect(outcome).toMatchObject({ kind: "merged", commit: verified[1] });
    expect(delivery.target()).toBe(verified[1]);
    expect(delivery.show(delivery.target(), "other.txt")).toBe("other");
    expect(leftBehind(delivery.test)).toEqual([]);
  });

  it("does not bring back what was removed from the target meanwhile", async () => {
    const delivery = await newApart(isRemote);
    const { test } = delivery;
    const place = isRemote ? test.git("remote", "get-url", "origin") : test.path;
    let rounds = 0;
    const outcome = await delivery.deliver({
      verify: async () => {
        if (++rounds === 1) test.gitIn(place, "update-ref", "refs/heads/trunk", "trunk~1");
        return { isPassed: true };
      },
    });
    expect([outcome.kind, rounds]).toEqual(["merged", 2]);
    expect(delivery.log(delivery.target())).not.toContain("meanwhile");
  });

  it("stops after the target has moved in every round", async () => {
    const delivery = await newApart(isRemote);
    let times = 0;
    const outcome = await delivery.deliver({
      verify: async () => {
        delivery.meanwhile({ "other.txt": `${times++}\n` });
        return { isPassed: true };
      },
    });
    expect(outcome).toEqual({
      kind: "moved",
      rounds: 3,
      why: `trunk got new commits 3 times while ${BRANCH} was being checked.`,
    });
    expect(times).toBe(3);
    expect(delivery.log("trunk")).not.toContain("Two");
    expect(await delivery.deliver()).toMatchObject({ kind: "merged" });
    expect(leftBehind(delivery.test)).toEqual([]);
  });

  it("stops at a conflict, which names both sides", async () => {
    const delivery = await newDelivery({ isRemote });
    const base = delivery.target();
    delivery.work({ "shared.txt": lines({ 3: "three" }) }, "Count in words");
    delivery.work({ "src/main.ts": "export const story = 1;\n" }, "Export the story");
    const theirs = delivery.meanwhile(
      { "shared.txt": lines({ 3: "III" }) },
      "Count like the Romans",
    );
    const onto = delivery.meanwhile({ "src/main.ts": undefined }, "Remove main");
    const outcome = await delivery.deliver();
    expect(outcome).toMatchObject({
      kind: "conflict",
      onto,
      base,
      files: [
        {
          path: "shared.txt",
          target: {
            did: "changed",
            commits: [{ commit: theirs, subject: "Count like the Romans" }],
          },
          story: { did: "changed", commits: [{ subject: "Count in words" }] },
        },
        {
          path: "src/main.ts",
          target: { did: "deleted", commits: [{ subject: "Remove main" }] },
          story: { did: "changed", commits: [{ subject: "Export the story" }] },
        },
      ],
    });
    expect(delivery.target()).toBe(onto);
    expect(leftBehind(delivery.test)).toEqual([]);
  });

  it("is not rewritten when it already builds on the target", async () => {
    const delivery = await newDelivery({ isRemote });
    const tip = delivery.work({ "new.txt": "new\n" });
    const was = delivery.target();
    const delivered = await delivery.deliver({ style: "merge" });
    expect(delivered).toEqual({ kind: "merged", commit: tip, was });
    expect(delivery.target()).toBe(tip);
  });

  it("counts as merged after a squash by hand, even with later commits on the target", async () => {
    const delivery = await newDelivery({ isRemote });
    delivery.work({ "shared.txt": lines({ 3: "three" }) });
    delivery.work({ "shared.txt": lines({ 3: "trois" }), "new.txt": "new\n" });
    const story = delivery.show(BRANCH, `.saga/stories/${STORY}/story.json`);
    const task = delivery.show(BRANCH, `.saga/stories/${STORY}/form.json`);
    const own = {
      [`.saga/stories/${STORY}/story.json`]: `${story}\n`,
      [`.saga/stories/${STORY}/form.json`]: `${task}\n`,
    };
    delivery.meanwhile(
      { "shared.txt": lines({ 3: "trois" }), "new.txt": "new\n", ...own },
      "Squash",
    );
    delivery.meanwhile({ "shared.txt": lines({ 3: "trois", 20: "vingt" }) });
    const at = delivery.target();
    const verify = () => Promise.reject(new Error("There is nothing to verify."));
    expect(await delivery.deliver({ verify })).toEqual({ kind: "merged", commit: at, was: at });
    expect(delivery.target()).toBe(at);
  });

  it("stops when asked, and changes nothing", async () => {
    const delivery = await newApart(isRemote);
    const was = delivery.target();
    const stopping = new AbortController();
    const outcome = await delivery.deliver({
      stop: stopping.signal,
      verify: async () => {
        stopping.abort();
        return { isPassed: true };
      },
    });
    expect(outcome).toEqual({ kind: "stopped" });
    expect(delivery.target()).toBe(was);
    expect(leftBehind(delivery.test)).toEqual([]);
    expect(await delivery.deliver({ stop: stopping.signal })).toEqual({ kind: "stopped" });
  });
});

describe("a story that continues after it was delivered", () => {
  it("brings only its new work, even if the target has changed the same lines since", async () => {
    const delivery = await newApart(false);
    await delivery.deliver();
    delivery.meanwhile({ "shared.txt": lines({ 3: "III", 20: "twenty" }) }, "Over it");
    const was = delivery.target();
    delivery.work({ "shared.txt": lines({ 3: "three", 10: "ten" }) }, "Three");
    expect(await delivery.deliver()).toMatchObject({ kind: "merged", was });
    expect(delivery.log(`${was}..trunk`)).toEqual(["Three"]);
    const text = lines({ 3: "III", 10: "ten", 20: "twenty" }).trimEnd();
    expect(delivery.show("trunk", "shared.txt")).toBe(text);
  });

  it("is recognised when its branch is gone", async () => {
    const delivery = await newApart(false);
    const first = await delivery.deliver();
    const tip = delivery.test.git("rev-parse", BRANCH);
    delivery.test.git("worktree", "remove", "--force", delivery.folder);
    delivery.test.git("branch", "-D", BRANCH);
    expect(await delivery.deliver()).toEqual(first);
    const kept = delivery.test.git("rev-list", `refs/saga/merged/${STORY}`).split("\n");
    expect(kept).toContain(tip);
  });
});

it("two stories delivered to one branch at once both arrive", async () => {
  const delivery = await newApart(false);
  const { test } = delivery;
  test.git("branch", "story/other", "main");
  const other = join(dirname(test.path), "other");
  test.git("worktree", "add", "--quiet", other, "story/other");
  mkdirSync(join(other, "other"));
  writeFileSync(join(other, "other/file"), "other\n");
  test.gitIn(other, "add", "--all");
  test.gitIn(other, "commit", "--quiet", "--message=Other");
  const outcomes = await Promise.all([
    delivery.deliver(),
    delivery.deliver({ branch: "story/other" }),
  ]);
  expect(outcomes.map(({ kind }) => kind)).toEqual(["merged", "merged"]);
  expect(delivery.log("trunk")).toEqual(expect.arrayContaining(["One", "Two", "Other"]));
  expect(leftBehind(test)).toEqual([]);
});

it.each([
  ["story/none", "The branch story/none does not exist"],
  ["main", "is not the branch of a story"],
])("%s cannot be delivered", async (branch, why) => {
  const delivery = await newDelivery();
  await expect(delivery.deliver({ branch })).rejects.toThrow(why);
});

it("a missing target is an error, here and at the remote", async () => {
  const delivery = await newDelivery({ isRemote: true });
  const target = { branch: "none", place: "here" } as const;
  await expect(delivery.deliver({ target })).rejects.toThrow(
    "The target branch none does not exist",
  );
  const there = { branch: "none", place: "remote" } as const;
  await expect(delivery.deliver({ target: there })).rejects.toThrow(
    "Cannot merge into none: origin has no such branch",
  );
  expect(existsSync(join(delivery.test.path, SCRATCH))).toBe(false);
});
