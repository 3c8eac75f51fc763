import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  BRANCH,
  lines,
  newDelivery,
  stateOf,
  type Delivery,
} from "../../../test/support/delivery.ts";
import { STORY } from "../../../test/support/repository.ts";
import { openGit } from "../../machine/programs/git.ts";
import { commitRest } from "../commits/commits.ts";
import { conflictText } from "../compose/describe-conflict.ts";
import { listSnapshots } from "../rescue/restore.ts";
import {
  abortConflict,
  finishConflict,
  prepareConflict,
  type ConflictContext,
} from "./resolve-conflict.ts";

async function inConflict(): Promise<{
  delivery: Delivery;
  place: ConflictContext & { onto: string };
}> {
  const delivery = await newDelivery();
  delivery.work({ "shared.txt": lines({ 3: "three" }) }, "In words");
  delivery.work({ "src/main.ts": "export const one = 1;\n" }, "Export one");
  delivery.meanwhile(
    { "shared.txt": lines({ 3: "III" }), "src/main.ts": undefined },
    "Like the Romans",
  );
  const git = openGit(delivery.folder, delivery.test.env);
  const onto = delivery.target();
  return { delivery, place: { git, storyId: STORY, target: "trunk", exclude: [".env"], onto } };
}

const resolve = ({ folder, test }: Delivery): void => {
  writeFileSync(join(folder, "shared.txt"), lines({ 3: "three (III)" }));
  test.gitIn(folder, "rm", "--quiet", "src/main.ts");
};

describe("a conflict in the story's worktree", () => {
  it("is described, resolved by hand, merged, and then delivered unchanged", async () => {
    const { delivery, place } = await inConflict();
    const tip = delivery.test.git("rev-parse", BRANCH);
    const prepared = await prepareConflict(place);
    expect(prepared).toMatchObject({
      kind: "conflict",
      files: [{ path: "shared.txt" }, { path: "src/main.ts" }],
    });
    const text = readFileSync(join(delivery.folder, "shared.txt"), "utf8");
    expect(text).toMatch(/<{7} .*\nthree\n\|{7} .*\nline 3\n={7}\nIII\n>{7} /);
    // Asked again, it says the same and does nothing.
    const before = stateOf(delivery.test, delivery.folder);
    expect(await prepareConflict(place)).toEqual(prepared);
    expect(stateOf(delivery.test, delivery.folder)).toBe(before);

    expect(await finishConflict(place)).toEqual({
      kind: "unresolved",
      files: ["shared.txt", "src/main.ts"],
    });
    delivery.test.gitIn(delivery.folder, "add", "--all");
    expect(await finishConflict(place)).toEqual({ kind: "unresolved", files: ["shared.txt"] });
    resolve(delivery);
    writeFileSync(join(delivery.folder, ".env"), "secret\n");
    const finished = await finishConflict(place);
    expect(finished).toEqual({ kind: "merged", commit: delivery.test.git("rev-parse", BRANCH) });
    expect(delivery.log(`${BRANCH}^!`, "%P|%s|%(trailers:key=Saga-Story,valueonly)")[0]).toBe(
      `${tip} ${place.onto}|Merge trunk into ${BRANCH}|${STORY}`,
    );
    expect(delivery.test.gitIn(delivery.folder, "status", "--porcelain")).toBe("?? .env");
    expect(await finishConflict(place)).toEqual({ kind: "none" });
    expect(await prepareConflict(place)).toEqual({ kind: "none" });

    const commit = delivery.test.git("rev-parse", BRANCH);
    expect(await delivery.deliver()).toEqual({ kind: "merged", commit, was: place.onto });
    expect(delivery.show("trunk", "shared.txt")).toBe(lines({ 3: "three (III)" }).trimEnd());
  });

  it("can be aborted, and a snapshot keeps the work so far", async () => {
    const { delivery, place } = await inConflict();
    const before = stateOf(delivery.test, delivery.folder).split("\n").slice(1);
    await prepareConflict(place);
    writeFileSync(join(delivery.folder, "shared.txt"), "half of it\n");
    writeFileSync(join(delivery.folder, "note"), "a new file stays\n");
    const saved = await abortConflict(place);
    expect(delivery.show(saved?.ref ?? "", "shared.txt")).toBe("half of it");
    expect(delivery.test.gitIn(delivery.folder, "status", "--porcelain")).toBe("?? note");
    delivery.test.gitIn(delivery.folder, "clean", "--quiet", "--force", "note");
    expect(stateOf(delivery.test, delivery.folder).split("\n").slice(1)).toEqual(before);
    expect(await abortConflict(place)).toBeUndefined();
    // It can be begun again; what was there before is kept once.
    expect(await prepareConflict(place)).toMatchObject({ kind: "conflict" });
    const keeps = await listSnapshots(place.git, STORY);
    expect(keeps.map(({ why }) => why)).toEqual([
      "before the merge of trunk was aborted",
      "before trunk was merged into it",
    ]);
  });

  it.each([
    ["merge", "--abort"],
    ["reset", "--quiet", "--hard"],
    ["reset", "--quiet", "--merge"],
  ])(
    "that is thrown away with git %s %s is not resolved, and can be begun again",
    async (...args) => {
      const { delivery, place } = await inConflict();
      await prepareConflict(place);
      delivery.test.gitIn(delivery.folder, ...args);
      expect(await finishConflict(place)).toEqual({ kind: "abandoned", onto: place.onto });
      expect(await prepareConflict(place)).toMatchObject({ kind: "conflict" });
      resolve(delivery);
      expect(await finishConflict(place)).toMatchObject({ kind: "merged" });
      expect(delivery.test.git("for-each-ref", "refs/saga/conflict")).toBe("");
    },
  );

  it("is checked even if the agent committed the merge itself", async () => {
    const { delivery, place } = await inConflict();
    await prepareConflict(place);
    delivery.test.gitIn(delivery.folder, "add", "--all");
    delivery.test.gitIn(delivery.folder, "commit", "--quiet", "--no-edit");
    expect(await finishConflict(place)).toEqual({ kind: "unresolved", files: ["shared.txt"] });
    const commit = delivery.work({ "shared.txt": lines({ 3: "three (III)" }) });
    expect(await finishConflict(place)).toEqual({ kind: "merged", commit });
    expect(await finishConflict(place)).toEqual({ kind: "none" });
  });

  it("includes the story's own files, which cannot be committed during the merge", async () => {
    const { delivery, place } = await inConflict();
    await prepareConflict(place);
    const journal = `.saga/stories/${STORY}/journal.md`;
    writeFileSync(join(delivery.folder, journal), "# Journal\n");
    expect(await commitRest(place)).toBeUndefined();
    resolve(delivery);
    expect(await finishConflict(place)).toMatchObject({ kind: "merged" });
    expect(delivery.show(BRANCH, journal)).toBe("# Journal");
  });

  it("is not resolved by another merge", async () => {
    const { delivery, place } = await inConflict();
    await prepareConflict(place);
    delivery.test.gitIn(delivery.folder, "merge", "--abort");
    delivery.test.git("branch", "elsewhere", "trunk~1");
    const other = delivery.meanwhile({ "other.txt": "other\n" }, "Other", "elsewhere");
    delivery.test.gitIn(delivery.folder, "merge", "--quiet", "--no-ff", "--no-commit", other);
    expect(await finishConflict(place)).toEqual({ kind: "abandoned", onto: place.onto });
    await expect(prepareConflict(place)).rejects.toThrow("A merge is in progress");
  });

  it("after a delivery concerns only the new work", async () => {
    const { delivery, place } = await inConflict();
    await prepareConflict(place);
    resolve(delivery);
    await finishConflict(place);
    delivery.meanwhile({ "other.txt": "other\n" });
    await delivery.deliver();
    delivery.meanwhile({ "shared.txt": lines({ 3: "tre", 20: "XX" }) }, "More Romans");
    delivery.work({ "shared.txt": lines({ 3: "three (III)", 20: "twenty" }) }, "More words");
    const onto = delivery.target();
    const prepared = await prepareConflict({ ...place, onto });
    const only = (subject: string) => ({ commits: [{ subject }] });
    expect(prepared).toMatchObject({
      files: [{ path: "shared.txt", target: only("More Romans"), story: only("More words") }],
    });
    const text = readFileSync(join(delivery.folder, "shared.txt"), "utf8");
    expect(text.match(/<{7} /g)).toHaveLength(1);
    expect(text).toContain("\ntre\n");
  });

  it("is not started with other work in the worktree", async () => {
    const { delivery, place } = await inConflict();
    writeFileSync(join(delivery.folder, "note"), "mine\n");
    await expect(prepareConflict(place)).rejects.toThrow("has uncommitted changes");
    delivery.work({}, "note");
    delivery.test.gitIn(delivery.folder, "checkout", "--quiet", "--detach");
    await expect(prepareConflict(place)).rejects.toThrow(`is not on ${BRANCH}`);
    expect(existsSync(join(delivery.test.path, `.git/worktrees/${STORY}/MERGE_HEAD`))).toBe(false);
  });

  it("does not exist if the two merge cleanly", async () => {
    const delivery = await newDelivery();
    delivery.work({ "new.txt": "new\n" });
    delivery.meanwhile({ "other.txt": "other\n" });
    const before = stateOf(delivery.test, delivery.folder);
    const git = openGit(delivery.folder, delivery.test.env);
    const place = { git, storyId: STORY, target: "trunk", exclude: [], onto: delivery.target() };
    expect(await prepareConflict(place)).toEqual({ kind: "none" });
    expect(stateOf(delivery.test, delivery.folder)).toBe(before);
  });

  it("is described in a few lines", async () => {
    const { delivery, place } = await inConflict();
    const prepared = await prepareConflict(place);
    const files = prepared.kind === "conflict" ? prepared.files : [];
    const at = (subject: string, range: string): string =>
      delivery
        .log(range, "%H %s")
        .find((line) => line.endsWith(subject))
        ?.slice(0, 10) ?? "";
    const [words, one] = [at("In words", BRANCH), at("Export one", BRANCH)];
    const romans = at("Like the Romans", "trunk");
    expect(conflictText({ files }, { branch: BRANCH, target: "trunk" }).split("\n")).toEqual([
      "shared.txt",
      `  trunk changed it: Like the Romans (${romans})`,
      `  ${BRANCH} changed it: In words (${words})`,
      "src/main.ts",
      `  trunk deleted it: Like the Romans (${romans})`,
      `  ${BRANCH} changed it: Export one (${one})`,
    ]);
  });
});
