import { expect, it } from "vitest";
import { newClones, type Clone } from "../../../test/support/clones.ts";
import { followBase } from "./follow-base.ts";

function pushFrom({ git, write }: Clone, file: string): string {
  write(file, "new\n");
  git("add", file);
  git("commit", "--quiet", `--message=${file}`);
  git("push", "--quiet", "origin", "HEAD:main");
  return git("rev-parse", "HEAD");
}

it("brings a clean checkout to the remote's commit", async () => {
  const { ann, bob } = await newClones();
  const commit = pushFrom(ann, "new.txt");
  expect(await followBase(bob.repository, undefined)).toMatchObject({ commit, behind: undefined });
  expect(bob.git("rev-parse", "HEAD")).toBe(commit);
  expect(bob.read("new.txt")).toBe("new\n");
});

it("leaves changed files alone, and says why it is behind", async () => {
  const { ann, bob } = await newClones();
  pushFrom(ann, "src/main.ts");
  bob.write("src/main.ts", "mine\n");
  const { behind } = await followBase(bob.repository, undefined);
  expect(behind).toContain("could not be brought up to date with main");
  expect(bob.read("src/main.ts")).toBe("mine\n");
});

it("never merges: commits of its own stay as they are", async () => {
  const { ann, bob } = await newClones();
  pushFrom(ann, "new.txt");
  bob.write("own.txt", "own\n");
  bob.git("add", "own.txt");
  bob.git("commit", "--quiet", "--message=own");
  const head = bob.git("rev-parse", "HEAD");
  await followBase(bob.repository, undefined);
  expect(bob.git("rev-parse", "HEAD")).toBe(head);
});

it("says so when another branch is checked out, or the remote is gone", async () => {
  const { ann, bob } = await newClones();
  pushFrom(ann, "new.txt");
  bob.git("switch", "--quiet", "--create", "other");
  expect((await followBase(bob.repository, undefined)).behind).toContain("is not on main");
  bob.git("remote", "set-url", "origin", "/nowhere.git");
  expect((await followBase(await bob.open(), undefined)).behind).toContain("could not be fetched");
});
