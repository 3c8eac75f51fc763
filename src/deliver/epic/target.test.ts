import { expect, it } from "vitest";
import { newRepository } from "../../../test/support/repository.ts";
import type { EpicBranchContext } from "./target.ts";
import { epicBranchGone, restoreEpicBranch } from "./target.ts";

it("an epic whose branch never existed is left alone", async () => {
  const test = newRepository();
  const context = { repository: await test.open() } as unknown as EpicBranchContext;
  await restoreEpicBranch(context, "user-auth");
  expect(test.git("branch", "--list", "epic/*")).toBe("");
});

it("a deleted branch is reported with the command that creates it again", () => {
  expect(epicBranchGone("epic/e", "a")).toMatchObject({
    message: "The epic's branch epic/e was deleted; nothing was merged.",
    hint: "Create it again: `saga run a`.",
  });
});
