import { expect, it } from "vitest";
import { anEpic } from "../../../test/support/project.ts";
import { newRepository } from "../../../test/support/repository.ts";
import { openStore } from "../file-store.ts";

it("the pull request of an epic is recorded without a change in the checkout", async () => {
  const test = newRepository();
  test.write(".saga/epics/shop/epic.json", anEpic("shop", []));
  test.git("add", "--all");
  test.git("commit", "--quiet", "--message=Plan");
  const store = openStore(test.path);
  await store.noteEpic("shop", { branch: "epic/shop", pr: "local/1" });
  await store.noteEpic("shop", { merged: "abc" });
  expect(test.git("status", "--porcelain")).toBe("");
  expect((await store.readEpic("shop")).epic).toMatchObject({ branch: "epic/shop", pr: "local/1" });
  expect((await store.readEpic("shop")).fields).not.toHaveProperty("pr");
  // The epic's own file takes precedence.
  test.write(".saga/epics/shop/epic.json", anEpic("shop", [], { pr: "local/7" }));
  expect((await store.readEpic("shop")).epic.pr).toBe("local/7");
});
