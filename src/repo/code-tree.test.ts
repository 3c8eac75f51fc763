import { expect, it } from "vitest";
import { newRepository } from "../../test/support/repository.ts";
import { codeTree } from "./code-tree.ts";

it("changes with the code, and not with what Saga writes", async () => {
  const test = newRepository();
  const { git } = await test.open();
  const commit = (file: string, text: string): string => {
    test.write(file, text);
    test.git("add", "--all");
    test.git("commit", "--quiet", "--message=more");
    return test.git("rev-parse", "HEAD");
  };
  const before = await codeTree(git, "HEAD");
  const withStatus = commit(".saga/stories/add-login/journal.md", "# Journal\n");
  expect(await codeTree(git, withStatus)).toBe(before);
  const withCode = commit("src/main.ts", "export const one = 1;\n");
  expect(await codeTree(git, withCode)).not.toBe(before);
  // A folder of that name elsewhere is code.
  const nested = commit("docs/.saga/notes.md", "notes\n");
  expect(await codeTree(git, nested)).not.toBe(await codeTree(git, withCode));
});
