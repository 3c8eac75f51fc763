import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { leftBehind, newDelivery, stateOf, type Delivery } from "../../../test/support/delivery.ts";
import { STORY } from "../../../test/support/repository.ts";
import { listSnapshots } from "../rescue/restore.ts";

const OWN = `.saga/stories/${STORY}`;

interface CheckedOut extends Delivery {
  /** A person's checkout of the target. */
  readonly at: string;
  /** What the story's branch had there at some time. */
  readonly was: (name: string) => string;
  readonly put: (path: string, text: string) => void;
  readonly keeps: () => ReturnType<typeof listSnapshots>;
}

/** The story has gone on since it was carried into its worktree. */
async function checkedOut(): Promise<CheckedOut> {
  const delivery = await newDelivery();
  const { test } = delivery;
  const at = join(dirname(test.path), "person's");
  const begun = test.git("rev-parse", `story/${STORY}`);
  delivery.work({
    [`${OWN}/story.json`]: '{"status": "completed"}\n',
    [`${OWN}/form.json`]: undefined,
    [`${OWN}/form-1.json`]: "{}\n",
    "new.txt": "new\n",
  });
  test.git("worktree", "add", "--quiet", at, "trunk");
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(join(at, path)), { recursive: true });
    writeFileSync(join(at, path), text);
  };
  const was = (name: string): string => `${delivery.show(begun, `${OWN}/${name}`)}\n`;
  const keeps = async () => listSnapshots((await test.open()).git, STORY);
  return { ...delivery, at, put, was, keeps };
}

const update = (delivery: Delivery, warnings: string[] = []) =>
  delivery.deliver({ updateCheckouts: true, onWarning: (sentence) => warnings.push(sentence) });

it("files that the merged history has are replaced without a snapshot, also of a split task", async () => {
  const delivery = await checkedOut();
  const { test, at, put, was } = delivery;
  for (const name of ["story.json", "form.json"]) put(`${OWN}/${name}`, was(name));
  put(`${OWN}/form-1.json`, "{}\n");
  const warnings: string[] = [];
  expect(await update(delivery, warnings)).toMatchObject({ kind: "merged" });
  expect(test.gitIn(at, "status", "--porcelain", "--ignored")).toBe("");
  expect(readdirSync(join(at, OWN)).toSorted()).toEqual(["form-1.json", "story.json"]);
  expect(warnings).toEqual([]);
  expect(await delivery.keeps()).toEqual([]);
});

it("a file with other content goes into a snapshot first, and a note beside it stays", async () => {
  const delivery = await checkedOut();
  const { test, at, put } = delivery;
  put(`${OWN}/story.json`, "mine,\r\nall of it\n");
  put(`${OWN}/note.md`, "also mine\n");
  const warnings: string[] = [];
  expect(await update(delivery, warnings)).toMatchObject({ kind: "merged" });
  expect(test.gitIn(at, "status", "--porcelain")).toBe(`?? ${OWN}/note.md`);
  const [keep, ...others] = await delivery.keeps();
  expect(others).toEqual([]);
  expect(warnings.join()).toContain(`the old copy is in the snapshot refs/saga/keep/${STORY}/1`);
  expect(test.git("show", `${keep?.ref}:${OWN}/story.json`)).toBe("mine,\r\nall of it");
  // The rest of it is what was merged.
  expect(test.git("diff", "--name-only", "trunk", keep?.ref ?? "")).toBe(`${OWN}/story.json`);
});

it("the file of the story's epic is replaced too, but no other epic's", async () => {
  const delivery = await checkedOut();
  const [own, other] = [".saga/epics/shop/epic.json", ".saga/epics/other/epic.json"];
  delivery.work({ [own]: "{}\n" });
  delivery.put(own, "mine\n");
  const request = { updateCheckouts: true, epicId: "shop" };
  expect(await delivery.deliver(request)).toMatchObject({ kind: "merged" });
  expect(await delivery.keeps()).toHaveLength(1);
  delivery.work({ [other]: "{}\n" });
  delivery.put(other, "mine\n");
  expect(await delivery.deliver(request)).toMatchObject({
    kind: "checked-out",
    isUpdatable: false,
    why: expect.stringContaining(other) as string,
  });
  expect(readFileSync(join(delivery.at, other), "utf8")).toBe("mine\n");
});

it("everything is put back when another file prevents the merge", async () => {
  const delivery = await checkedOut();
  const { test, at, put } = delivery;
  put(`${OWN}/story.json`, "mine\n");
  put("new.txt", "precious\n");
  const before = stateOf(test, at);
  expect(await update(delivery)).toMatchObject({
    kind: "checked-out",
    why: expect.stringContaining("new.txt") as string,
  });
  expect(stateOf(test, at)).toBe(before);
});

it("a symlink at a file's path is left alone", async () => {
  const delivery = await checkedOut();
  const { at, put } = delivery;
  put("mine/story.json", "mine\n");
  mkdirSync(join(at, ".saga/stories"), { recursive: true });
  symlinkSync(join(at, "mine"), join(at, OWN));
  expect(await update(delivery)).toMatchObject({ kind: "checked-out" });
  expect(readFileSync(join(at, OWN, "story.json"), "utf8")).toBe("mine\n");
});

it("a file that a killed call left under a temporary name is put back, then handled like the others", async () => {
  const delivery = await checkedOut();
  delivery.put(`${OWN}/.story.json.taken.tmp`, "mine\n");
  expect(await update(delivery)).toMatchObject({ kind: "merged" });
  const [keep] = await delivery.keeps();
  expect(delivery.show(keep?.ref ?? "", `${OWN}/story.json`)).toBe("mine");
  expect(existsSync(join(delivery.at, OWN, ".story.json.taken.tmp"))).toBe(false);
  expect(leftBehind(delivery.test)).toEqual([]);
});

it("a checkout without permission to update says whether it could be updated", async () => {
  const delivery = await checkedOut();
  const { test, at, put } = delivery;
  put(`${OWN}/story.json`, "mine\n");
  const before = stateOf(test, at);
  expect(await delivery.deliver()).toMatchObject({ kind: "checked-out", isUpdatable: true });
  expect(stateOf(test, at)).toBe(before);
  put("shared.txt", "changed\n");
  expect(await delivery.deliver()).toMatchObject({
    isUpdatable: false,
    why: "It has uncommitted changes: shared.txt.",
  });
});
