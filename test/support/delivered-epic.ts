// An epic that is ready for `saga merge <epic>`.

import { openStore } from "../../src/store/file-store.ts";
import { anEpic, aStory } from "./project.ts";
import { addOrigin, newRepository, type TestRepository } from "./repository.ts";

/** An epic whose two stories are in its own branch, and a person on `main`. */
export function deliveredEpic(
  more: { checks?: string[]; isRemote?: boolean } = {},
): TestRepository {
  const test = newRepository();
  test.git("clean", "-fdq", ".saga/stories");
  const ids = ["shop--cart", "shop--pay"];
  const epic = anEpic(
    "shop",
    ids.map((id) => ({ id })),
    { delivery: "epic-branch" },
  );
  test.write(".saga/epics/shop/epic.json", epic);
  for (const id of ids) {
    const checks = id === "shop--pay" ? (more.checks ?? ["test -e pay.txt"]) : ["test -e cart.txt"];
    test.write(`.saga/archive/${id}/story.json`, aStory(id, { status: "completed", checks }));
  }
  test.git("add", "--all");
  test.git("commit", "--quiet", "--message=Plan");
  const origin = more.isRemote ? addOrigin(test) : undefined;
  test.git("switch", "--quiet", "--create", "epic/shop");
  for (const name of ["cart", "pay"]) {
    test.write(`${name}.txt`, `${name}\n`);
    test.git("add", "--all");
    test.git("commit", "--quiet", `--message=${name}`);
  }
  test.git("update-ref", "refs/saga/epic/shop/from", "main");
  test.git("update-ref", "refs/saga/epic/shop/tip", "epic/shop");
  if (origin !== undefined) test.git("push", "--quiet", "origin", "epic/shop");
  test.git("switch", "--quiet", "main");
  return test;
}

export const awaitsMerge = async ({ path }: TestRepository): Promise<boolean | undefined> =>
  (await openStore(path).overview()).epics.get("shop")?.awaitsMerge;

/** Where only people have committed to it. */
export const commitOnMain = (test: TestRepository, file: string, text: string): string => {
  test.write(file, text);
  test.git("add", "--all");
  test.git("commit", "--quiet", `--message=${file}`);
  return test.git("rev-parse", "HEAD");
};
