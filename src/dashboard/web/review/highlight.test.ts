import { parseDiff } from "react-diff-view";
import { expect, it } from "vitest";
import { highlightHunks } from "./highlight.ts";

const [file] = parseDiff(`diff --git a/a.ts b/a.ts
index 1..2 100644
--- a/a.ts
+++ b/a.ts
@@ -1,1 +1,1 @@
-const one = 1;
+const two = 1;
`);
const classesOf = (language: string | undefined): string =>
  JSON.stringify(highlightHunks(file?.hunks ?? [], language)?.new);

it("colours a line by its language, and marks what changed in it", () => {
  expect(classesOf("typescript")).toContain('"keyword"');
  expect(classesOf("typescript")).toContain('"edit"');
});

it("only marks the changes of a file in another language", () => {
  expect(classesOf(undefined)).not.toContain('"keyword"');
  expect(classesOf("klingon")).toContain('"edit"');
});
