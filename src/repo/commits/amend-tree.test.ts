import { expect, it } from "vitest";
import { plainFiles } from "./amend-tree.ts";

const BLOB = "257cc5642cb1a054f08cc83f2d943e56fd3ebe99";

it("changes regular files only: links, folders and submodules stay as they are", () => {
  const listed = [
    `100644 blob ${BLOB}\tread me.txt`,
    `100755 blob ${BLOB}\tbin/run`,
    `120000 blob ${BLOB}\tlink`,
    `040000 tree ${BLOB}\tfolder`,
    `160000 commit ${BLOB}\tsubmodule`,
    `100644 blob ${BLOB}\twith\ttab and\nline break`,
    "",
  ];
  expect(plainFiles(listed.join("\0"))).toEqual([
    { path: "read me.txt", mode: "100644", blob: BLOB },
    { path: "bin/run", mode: "100755", blob: BLOB },
    { path: "with\ttab and\nline break", mode: "100644", blob: BLOB },
  ]);
  expect(plainFiles("")).toEqual([]);
});
