import { expect, it } from "vitest";
import { newRepository, type TestRepository } from "../../../test/support/repository.ts";
import { compose, type Composition, type LandEntry } from "./compose.ts";

it("puts one branch on top of the other, and gives the same commits each time", async () => {
  const test = newRepository();
  branch(test, "one", { "one.txt": "1\n" });
  branch(test, "two", { "two.txt": "2\n" });
  const { candidates, leftOut } = await composed(test, ["one", "two"]);
  const [first, second] = candidates;
  expect(first?.onto).toBe(test.git("rev-parse", "main"));
  expect(second?.onto).toBe(first?.commit);
  expect(test.git("ls-tree", "--name-only", second?.commit ?? "")).toContain("one.txt");
  expect(leftOut.size).toBe(0);
  expect((await composed(test, ["one", "two"])).candidates).toEqual(candidates);
  expect(test.git("for-each-ref", "--format=%(refname)", "refs/saga")).toBe("");
});

it("says of an entry that has no candidate whether the target or another entry is in its way", async () => {
  const test = newRepository();
  branch(test, "one", { "read me.txt": "one\n" });
  branch(test, "clash", { "read me.txt": "other\n" });
  branch(test, "there", {});
  branch(test, "old", { "src/main.ts": "old\n" });
  test.write("src/main.ts", "new\n");
  test.git("commit", "--quiet", "--all", "--message=new");
  const { candidates, leftOut } = await composed(test, ["one", "clash", "there", "old"]);
  expect(candidates.map(({ storyId }) => storyId)).toEqual(["one"]);
  const why = [...leftOut].map(([{ storyId }, { kind }]) => [storyId, kind]);
  expect(why).toEqual([
    ["clash", "behind"],
    ["there", "arrived"],
    ["old", "conflict"],
  ]);
});

function branch(test: TestRepository, name: string, files: Readonly<Record<string, string>>): void {
  test.git("checkout", "--quiet", "-b", `story/${name}`, "main");
  for (const [file, text] of Object.entries(files)) test.write(file, text);
  if (Object.keys(files).length > 0) {
    test.git("add", "--", ...Object.keys(files));
    test.git("commit", "--quiet", `--message=${name}`);
  }
  test.git("checkout", "--quiet", "main");
}

async function composed(
  test: TestRepository,
  names: readonly string[],
): Promise<Composition<LandEntry>> {
  const { git } = await test.open();
  const entries = names.map((storyId) => {
    const entry = { branch: `story/${storyId}` };
    return { entry, storyId, tip: test.git("rev-parse", entry.branch), arrived: undefined };
  });
  return compose(git, entries, { branch: "main", onto: test.git("rev-parse", "main") });
}
