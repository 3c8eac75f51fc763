import { expect, it } from "vitest";
import { parseDiff } from "react-diff-view";
import { pathOf } from "./diff-paths.ts";

const diffOf = (name: string): string =>
  `diff --git ${name} ${name.replace("a/", "b/")}\nnew file mode 100644\n--- /dev/null\n+++ ${name.replace("a/", "b/")}\n@@ -0,0 +1 @@\n+one\n`;

it.each([
  ["a/src/plain.ts", "src/plain.ts"],
  ["a/with space.ts", "with space.ts"],
  ['"a/a \\"quoted\\" name.ts"', 'a "quoted" name.ts'],
  ['"a/a\\ttab.ts"', "a\ttab.ts"],
])("the file %s is called as people call it", (name, path) => {
  expect(parseDiff(diffOf(name)).map(pathOf)).toEqual([path]);
});
