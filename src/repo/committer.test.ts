import { writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { newRepository } from "../../test/support/repository.ts";
import { askAsCommitter, committerFor } from "./committer.ts";

const AUTHORS = ["log", "-1", "--format=%an, %cn"];

it("commits in the user's name, and in Saga's only if git knows none", async () => {
  const test = newRepository();
  const { git } = await test.open();
  const commit = () => askAsCommitter(git, ["commit", "--allow-empty", "--file=-"], "work\n");
  expect(await committerFor(git)).toEqual({});
  await commit();
  expect(test.git(...AUTHORS)).toBe("Person, Person");
  writeFileSync(String(test.env["GIT_CONFIG_GLOBAL"]), "[user]\n\tuseConfigOnly = true\n");
  expect(await committerFor(git)).toMatchObject({ GIT_COMMITTER_NAME: "Saga" });
  await commit();
  expect(test.git(...AUTHORS)).toBe("Saga, Saga");
});

it("keeps another author who is named", async () => {
  const test = newRepository();
  const { git } = await test.open();
  writeFileSync(String(test.env["GIT_CONFIG_GLOBAL"]), "[user]\n\tuseConfigOnly = true\n");
  const author = { GIT_AUTHOR_NAME: "Ada", GIT_AUTHOR_EMAIL: "ada@example.org" };
  await askAsCommitter(git, ["commit", "--allow-empty", "--file=-"], "work\n", author);
  expect(test.git(...AUTHORS)).toBe("Ada, Saga");
});
