import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  BRANCH,
  leftBehind,
  lines,
  newDelivery,
  type Delivery,
} from "../../../test/support/delivery.ts";
import { STORY } from "../../../test/support/repository.ts";

describe("a story's commits on top of another", () => {
  it("keep author, date, message and trailers, and are never older than their parents", async () => {
    const delivery = await newDelivery();
    const { test, folder } = delivery;
    writeFileSync(join(folder, "new.txt"), "new\n");
    test.gitIn(folder, "add", "new.txt");
    const message = `Zeile – 行\n\n# no comment\n\n  indented\n\n\nSaga-Story: ${STORY}\nSaga-Task: one`;
    const author = ["--author=Ägent <agent@example.org>", "--date=2001-02-03T04:05:06+0900"];
    test.gitIn(
      folder,
      "commit",
      "--quiet",
      "--cleanup=verbatim",
      ...author,
      `--message=${message}`,
    );
    test.gitIn(folder, "commit", "--quiet", "--allow-empty", "--message=fixup! Zeile");
    delivery.meanwhile({ "other.txt": "other\n" });
    const was = delivery.target();
    await delivery.deliver();
    const format = "%an|%ae|%ad|%B|%(trailers:key=Saga-Task,valueonly)";
    const read = (range: string): string =>
      test.git("log", "--date=raw", `--format=${format}`, range);
    expect(read(`${was}..trunk`)).toBe(read(`${BRANCH}~2..${BRANCH}`));
    // An empty one is the mark of a task, and the order is the story's.
    expect(delivery.log(`${was}..trunk`)).toEqual(["Zeile – 行", "fixup! Zeile"]);
    const times = delivery.log("trunk", "%ct").map(Number);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
  });

  it("are left out if the target already has them", async () => {
    const delivery = await newDelivery();
    delivery.work({ "shared.txt": lines({ 3: "three" }) }, "One");
    delivery.work({ "new.txt": "new\n" }, "Two");
    delivery.meanwhile({ "shared.txt": lines({ 3: "three" }) }, "The same");
    const was = delivery.target();
    await delivery.deliver();
    expect(delivery.log(`${was}..trunk`)).toEqual(["One", "Two"]);
  });

  it("become one merge if the story builds on others' commits that the target lacks", async () => {
    const delivery = await newDelivery();
    const start = delivery.work({ "theirs.txt": "theirs\n" }, "Someone's");
    const tip = delivery.work({ "new.txt": "new\n" }, "One");
    delivery.meanwhile({ "other.txt": "other\n" }, "Mine");
    const was = delivery.target();
    expect(await delivery.deliver({ start })).toMatchObject({ kind: "merged", was });
    // Neither side is lost, and no commit exists in two forms.
    expect(delivery.log("trunk^!", "%P")).toEqual([`${was} ${tip}`]);
    expect(delivery.test.git("merge-base", start, "trunk")).toBe(start);
  });

  it("become one merge if one commit conflicts but the whole does not", async () => {
    const delivery = await newDelivery();
    delivery.work({ "shared.txt": lines({ 3: "thre" }) }, "Typo");
    const tip = delivery.work({ "shared.txt": lines({ 3: "three" }), "new.txt": "new\n" }, "Right");
    delivery.meanwhile({ "shared.txt": lines({ 3: "three" }) }, "Right as well");
    const was = delivery.target();
    expect(await delivery.deliver()).toMatchObject({ kind: "merged", was });
    expect(delivery.log("trunk^!", "%P %s")).toEqual([`${was} ${tip} Merge ${BRANCH} into trunk`]);
  });

  it("become one merge if replaying them would undo changes of the target", async () => {
    const delivery = await newDelivery();
    delivery.work({ "shared.txt": lines({ 3: "three" }) }, "There");
    delivery.work({ "shared.txt": lines({}), "new.txt": "new\n" }, "And back");
    delivery.meanwhile({ "shared.txt": lines({ 3: "three" }) }, "Wanted");
    await delivery.deliver();
    expect(delivery.show("trunk", "shared.txt")).toBe(lines({ 3: "three" }).trimEnd());
    expect(delivery.show("trunk", "new.txt")).toBe("new");
  });

  it("stay as they are if one of them is a merge, with its resolution", async () => {
    const delivery = await newDelivery();
    const { test, folder } = delivery;
    delivery.work({ "shared.txt": lines({ 3: "three" }) });
    delivery.meanwhile({ "shared.txt": lines({ 3: "III" }) });
    expect(await delivery.deliver()).toMatchObject({ kind: "conflict" });
    expect(() => test.gitIn(folder, "merge", "--quiet", "trunk")).toThrow("Command failed");
    const tip = delivery.work({ "shared.txt": lines({ 3: "three (III)" }) }, "Merge trunk");
    delivery.meanwhile({ "other.txt": "other\n" });
    const was = delivery.target();
    expect(await delivery.deliver()).toMatchObject({ kind: "merged" });
    expect(delivery.log("trunk^!", "%P")).toEqual([`${was} ${tip}`]);
    expect(delivery.show("trunk", "shared.txt")).toBe(lines({ 3: "three (III)" }).trimEnd());
  });

  it("stay as they are with the style merge", async () => {
    const delivery = await newDelivery();
    const tip = delivery.work({ "new.txt": "new\n" });
    delivery.meanwhile({ "other.txt": "other\n" });
    const was = delivery.target();
    await delivery.deliver({ style: "merge" });
    expect(delivery.log("trunk^!", "%P")).toEqual([`${was} ${tip}`]);
    expect(delivery.log("trunk^!", "%(trailers:key=Saga-Story,valueonly)")[0]).toBe(STORY);
  });

  it("may contain any file names and kinds of files", async () => {
    const delivery = await newDelivery();
    const names = [
      "a b.txt",
      "two\nlines.txt",
      "ü – 計.txt",
      `it's "q".txt`,
      "-rf",
      ":(top)x",
      "*",
    ];
    delivery.work(Object.fromEntries(names.map((name) => [`odd/${name}`, `${name}\n`])));
    delivery.work({ "odd/bytes": "\0\u0001\r\n", "shared.txt": undefined });
    delivery.meanwhile({ "odd/a b.txt ": "space\n" });
    expect(await delivery.deliver()).toMatchObject({ kind: "merged" });
    for (const name of names) expect(delivery.show("trunk", `odd/${name}`)).toBe(name);
    expect(delivery.show("trunk", "odd/a b.txt ")).toBe("space");
    // And the conflicts of such.
    for (const name of names) delivery.work({ [`odd/${name}`]: "mine\n" }, "Mine");
    for (const name of names) delivery.meanwhile({ [`odd/${name}`]: "theirs\n" }, "Theirs");
    const outcome = await delivery.deliver();
    const files = outcome.kind === "conflict" ? outcome.files : [];
    expect(files.map(({ path }) => path).toSorted()).toEqual(
      names.map((name) => `odd/${name}`).toSorted(),
    );
    const both = {
      target: { commits: [{ subject: "Theirs" }] },
      story: { commits: [{ subject: "Mine" }] },
    };
    for (const file of files) expect(file).toMatchObject(both);
  });

  it("follow a renamed file", async () => {
    const delivery = await newDelivery();
    delivery.work({ "shared.txt": lines({ 3: "three" }) }, "Change it");
    delivery.meanwhile({ "shared.txt": undefined, "moved.txt": lines({}) }, "Move it");
    await delivery.deliver();
    expect(delivery.show("trunk", "moved.txt")).toBe(lines({ 3: "three" }).trimEnd());
    delivery.work({ "shared.txt": lines({ 3: "trois" }) }, "Change it again");
    delivery.meanwhile({ "moved.txt": lines({ 3: "tre" }) }, "Change it elsewhere");
    const outcome = await delivery.deliver();
    expect(outcome).toMatchObject({ kind: "conflict", files: [{ path: "moved.txt" }] });
  });
});

it("unrelated histories are an error that says so", async () => {
  const delivery = await newDelivery();
  const { test } = delivery;
  const alone = test.git("commit-tree", "trunk^{tree}", "-m", "alone");
  test.git("update-ref", "refs/heads/alone", alone);
  const target = { branch: "alone", place: "here" } as const;
  await expect(delivery.deliver({ target })).rejects.toThrow("unrelated histories");
  expect(leftBehind(test)).toEqual([]);
});

describe("a story's history on its target", () => {
  const DONE = `Update the state of ${STORY}\n\nSaga-Story: ${STORY}`;
  const story = async (): Promise<Delivery> => {
    const delivery = await newDelivery();
    delivery.work({ "a.txt": "a\n" }, `One\n\nSaga-Story: ${STORY}\nSaga-Task: one`);
    delivery.work({ "b.txt": "b\n" }, `Two\n\nSaga-Story: ${STORY}\nSaga-Task: two`);
    delivery.work({ [`.saga/stories/${STORY}/note.md`]: "done\n" }, DONE);
    return delivery;
  };

  it.each([true, false])(
    "is one commit with the style squash (target moved: %s)",
    async (isMoved) => {
      const delivery = await story();
      if (isMoved) delivery.meanwhile({ "other.txt": "other\n" });
      const was = delivery.target();
      const merged = await delivery.deliver({ style: "squash", title: "Log in" });
      expect(merged).toMatchObject({ kind: "merged", was });
      expect(delivery.log(`${was}..trunk`, "%s|%P")).toEqual([`Log in|${was}`]);
      const body = delivery.test.git("log", "-1", "--format=%b", "trunk");
      expect(body).toBe(`- One\n- Two\n\nSaga-Story: ${STORY}\nSaga-Task: one\nSaga-Task: two`);
      expect(delivery.show("trunk", "b.txt")).toBe("b");
      // Delivered again, it is known to be there; what follows it is one commit again.
      expect(await delivery.deliver({ style: "squash" })).toEqual(merged);
      delivery.work({ "c.txt": "c\n" }, "Three");
      delivery.meanwhile({ "b.txt": "changed by another\n" });
      const between = delivery.target();
      await delivery.deliver({ style: "squash" });
      expect(delivery.log(`${between}..trunk`)).toEqual(["Three"]);
      expect(delivery.show("trunk", "b.txt")).toBe("changed by another");
    },
  );

  it("is squashed with its conflict resolution if the branch has a merge", async () => {
    const delivery = await story();
    delivery.meanwhile({ "a.txt": "theirs\n" });
    delivery.test.gitIn(delivery.folder, "merge", "--quiet", "-s", "ours", "trunk");
    const was = delivery.target();
    await delivery.deliver({ style: "squash", title: "Log in" });
    expect(delivery.log(`${was}..trunk`)).toEqual(["Log in"]);
    expect(delivery.show("trunk", "a.txt")).toBe("a");
  });

  it.each([true, false])(
    "is one merge commit without Saga's own commits (target moved: %s)",
    async (isMoved) => {
      const delivery = await story();
      if (isMoved) delivery.meanwhile({ "other.txt": "other\n" });
      const was = delivery.target();
      const merged = await delivery.deliver({ style: "merge-commit", title: "Log in" });
      const subjects = delivery.log(`${was}..trunk`);
      expect(subjects).toEqual(["One", "Two", `Merge ${BRANCH} into trunk`]);
      const first = delivery.test.git("log", "--first-parent", "--format=%s", `${was}..trunk`);
      expect(first).toBe(`Merge ${BRANCH} into trunk`);
      expect(await delivery.deliver({ style: "merge-commit" })).toEqual(merged);
    },
  );

  it("keeps the story's own commits for GitHub", async () => {
    const delivery = await story();
    const was = delivery.target();
    await delivery.deliver({ style: "merge-commit", keepsCommits: true });
    const tip = delivery.test.git("rev-parse", BRANCH);
    expect(delivery.log("trunk^!", "%P")).toEqual([`${was} ${tip}`]);
  });
});
