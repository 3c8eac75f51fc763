import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { addedIn, start, text } from "../../../test/support/changed-repository.ts";
import { readMergedText } from "./added-text.ts";
import { MAX_TEXT_BYTES } from "./changes.ts";

describe("the text that was added", () => {
  it("keeps its line numbers, with the previous lines left empty", async () => {
    const changed = start();
    changed.repository.write("a", "one\ntwo\nthree\n");
    changed.commit();
    changed.repository.write("a", "zero\none\nthree\ntwo and a half\n");
    changed.commit();
    expect(await addedIn(changed.git, "HEAD~", "HEAD")).toEqual({
      a: "zero\n\n\ntwo and a half\n",
    });
  });

  it("is empty if a file was moved, emptied, deleted or became a symlink", async () => {
    const changed = start();
    const { repository } = changed;
    for (const name of ["moved", "emptied", "deleted", "link"])
      repository.write(name, text(9, name));
    changed.commit();
    repository.git("mv", "moved", "elsewhere");
    repository.write("emptied", "");
    rmSync(join(repository.path, "deleted"));
    rmSync(join(repository.path, "link"));
    symlinkSync("src", join(repository.path, "link"));
    changed.commit();
    expect(await addedIn(changed.git, "HEAD~", "HEAD")).toEqual({});
  });

  it("is the whole file if it replaced a symlink or a file too large to compare", async () => {
    const changed = start();
    const { repository } = changed;
    symlinkSync("src", join(repository.path, "link"));
    repository.write("large", "x".repeat(MAX_TEXT_BYTES + 1));
    changed.commit();
    rmSync(join(repository.path, "link"));
    repository.write("link", "src");
    repository.write("large", "small\n");
    changed.commit();
    expect(await addedIn(changed.git, "HEAD~", "HEAD")).toEqual({ link: "src", large: "small\n" });
  });

  it("leaves out files that are too large", async () => {
    const changed = start();
    changed.repository.write("large", "x".repeat(MAX_TEXT_BYTES + 1));
    changed.repository.write("just not", "x".repeat(MAX_TEXT_BYTES));
    changed.repository.write("small", "x");
    changed.commit();
    expect(Object.keys(await addedIn(changed.git, "HEAD~", "HEAD"))).toEqual(["just not", "small"]);
  });

  it("is the same for files with the same content", async () => {
    const changed = start();
    for (const name of ["a", "b"]) changed.repository.write(name, "same\n\n");
    changed.commit();
    expect(await addedIn(changed.git, "HEAD~", "HEAD")).toEqual({ a: "same\n\n", b: "same\n\n" });
  });
});

describe("the text that a merge itself adds", () => {
  const linesOf = (mark: string, at: number): string =>
    Array.from({ length: 30 }, (_, i) => (i === at ? `${mark}\n` : `line ${i}\n`)).join("");

  it("is what none of its parents has", async () => {
    const changed = start();
    const { repository, commit } = changed;
    repository.write("shared", linesOf("line 0", 0));
    repository.write("link", "a");
    const base = commit();
    const tips = [0, 10, 20].map((at, which) => {
      repository.git("checkout", "--quiet", "--detach", base);
      repository.write("shared", linesOf(`of ${which}`, at));
      repository.write(`only of ${which}`, "mine\n");
      return commit();
    });
    const joined = linesOf("of 0", 0).replace("line 10", "of 1").replace("line 20", "its own");
    repository.write("shared", joined);
    repository.write("only of 1", "mine\n");
    repository.write("new", "all new\n");
    rmSync(join(repository.path, "link"));
    symlinkSync("src", join(repository.path, "link"));
    const tree = (commit(), repository.git("rev-parse", "HEAD^{tree}"));
    const parents = tips.flatMap((tip) => ["-p", tip]);
    const merge = repository.git("commit-tree", tree, ...parents, "-m", "all three");
    const added = [];
    for await (const one of readMergedText(changed.git, [merge])) added.push(one);
    expect(added).toEqual([
      { path: "new", commit: merge, text: "all new\n" },
      { path: "shared", commit: merge, text: `${"\n".repeat(20)}its own${"\n".repeat(10)}` },
    ]);
  });

  it("is empty for a clean merge", async () => {
    const changed = start();
    const { repository, commit } = changed;
    const base = repository.git("rev-parse", "HEAD");
    repository.write("of one", "1\n");
    const one = commit();
    repository.git("checkout", "--quiet", "--detach", base);
    repository.write("of two", "2\n");
    commit();
    repository.git("merge", "--quiet", "--no-ff", "--no-edit", one);
    const added = [];
    const merge = repository.git("rev-parse", "HEAD");
    for await (const text of readMergedText(changed.git, [merge])) added.push(text);
    expect(added).toEqual([]);
  });
});
