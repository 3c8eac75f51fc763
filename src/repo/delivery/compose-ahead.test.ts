import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { newRepository } from "../../../test/support/repository.ts";
import { composeAhead } from "./compose-ahead.ts";
import { land } from "./land.ts";
import { clearScratch } from "./scratch.ts";

it("gives the commits that land, if the candidate below them lands as it is; moves no ref", async () => {
  const test = newRepository();
  for (const name of ["one", "two"]) {
    test.git("checkout", "--quiet", "-b", `story/${name}`, "main");
    test.write(`${name}.txt`, name);
    test.git("add", `${name}.txt`);
    test.git("commit", "--quiet", `--message=${name}`);
  }
  test.git("checkout", "--quiet", "--detach");
  const repository = await test.open();
  const below = test.git("rev-parse", "story/one");
  const refs = test.git("show-ref");
  const { candidates, checkOut } = await composeAhead({
    repository,
    scratch: "ahead",
    branch: "main",
    onto: below,
    entries: [{ branch: "story/two" }],
  });
  expect(readdirSync(await checkOut())).toEqual(expect.arrayContaining(["one.txt", "two.txt"]));
  expect(test.git("show-ref")).toBe(refs);
  await clearScratch(repository, "ahead");

  test.git("update-ref", "refs/heads/main", below);
  const [landed] = await land({
    repository,
    target: { branch: "main", place: "here" },
    entries: [{ branch: "story/two" }],
    scratch: "lane",
    verify: async () => ({ landing: 1 }),
  });
  expect(landed).toMatchObject({ kind: "merged", commit: candidates[0]?.commit });
});
