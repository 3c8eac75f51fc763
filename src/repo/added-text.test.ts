import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { addedIn, start, text } from "../../test/support/told-changes.ts";
import { MAX_TEXT_BYTES } from "./changes.ts";

describe("the text that was added", () => {
  it("stands in its own lines, and those from before are empty", async () => {
    const told = start();
    told.repository.write("a", "one\ntwo\nthree\n");
    told.commit();
    told.repository.write("a", "zero\none\nthree\ntwo and a half\n");
    told.commit();
    expect(await addedIn(told.git, "HEAD~", "HEAD")).toEqual({ a: "zero\n\n\ntwo and a half\n" });
  });

  it("is none where a file was moved, emptied, deleted, or became a link", async () => {
    const told = start();
    const { repository } = told;
    for (const name of ["moved", "emptied", "deleted", "link"])
      repository.write(name, text(9, name));
    told.commit();
    repository.git("mv", "moved", "elsewhere");
    repository.write("emptied", "");
    rmSync(join(repository.path, "deleted"));
    rmSync(join(repository.path, "link"));
    symlinkSync("src", join(repository.path, "link"));
    told.commit();
    expect(await addedIn(told.git, "HEAD~", "HEAD")).toEqual({});
  });

  it("is all of it where a file took the place of a link, or of one too large to compare", async () => {
    const told = start();
    const { repository } = told;
    symlinkSync("src", join(repository.path, "link"));
    repository.write("large", "x".repeat(MAX_TEXT_BYTES + 1));
    told.commit();
    rmSync(join(repository.path, "link"));
    repository.write("link", "src");
    repository.write("large", "small\n");
    told.commit();
    expect(await addedIn(told.git, "HEAD~", "HEAD")).toEqual({ link: "src", large: "small\n" });
  });

  it("leaves out files that are too large", async () => {
    const told = start();
    told.repository.write("large", "x".repeat(MAX_TEXT_BYTES + 1));
    told.repository.write("just not", "x".repeat(MAX_TEXT_BYTES));
    told.repository.write("small", "x");
    told.commit();
    expect(Object.keys(await addedIn(told.git, "HEAD~", "HEAD"))).toEqual(["just not", "small"]);
  });

  it("is the same for files with the same content", async () => {
    const told = start();
    for (const name of ["a", "b"]) told.repository.write(name, "same\n\n");
    told.commit();
    expect(await addedIn(told.git, "HEAD~", "HEAD")).toEqual({ a: "same\n\n", b: "same\n\n" });
  });
});
