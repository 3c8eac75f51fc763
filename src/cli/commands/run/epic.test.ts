import { expect, it } from "vitest";
import { anEpic, newProject } from "../../../../test/support/project.ts";
import { misused, refused } from "../../../../test/support/refused.ts";

it("refuses options that need another one, and an epic that does not exist", async () => {
  const project = newProject();
  const words = ["epic", "run", "user-auth"];
  const { message } = await refused(project, ...words);
  expect(message).toBe("There is no epic user-auth.");
  project.write(".saga/epics/user-auth/epic.json", anEpic("user-auth", []));
  const checkout = await misused(project, ...words, "--update-checkout");
  expect(checkout.hint).toBe("Add --merge: `saga epic run user-auth --merge --update-checkout`.");
});
