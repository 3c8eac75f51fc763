import { expect, it } from "vitest";
import { aStory, aTask, newProject } from "../../../../test/support/project.ts";
import { misused } from "../../../../test/support/refused.ts";

function newSearched() {
  const project = newProject();
  project.write(
    ".saga/stories/add-login/story.json",
    aStory("add-login", { title: "Log in", description: "Hash with argon2." }),
  );
  project.write(".saga/stories/add-login/form.json", aTask("form", { subject: "argon2 form" }));
  return project;
}

it("shows each result with its place and the line", async () => {
  const { stdout, exitCode } = await newSearched().saga("search", "argon2");
  expect([exitCode, stdout]).toEqual([
    0,
    [
      "story   add-login",
      "        Hash with argon2.",
      "task    add-login/form",
      "        argon2 form",
      "",
    ].join("\n"),
  ]);
});

it("takes an argument with a space as a phrase, a kind and a limit", async () => {
  const project = newSearched();
  expect((await project.saga("search", "with argon2", "--json")).json()).toMatchObject({
    hits: [{ kind: "story", story: "add-login", text: "Hash with argon2." }],
    isCut: false,
  });
  expect((await project.saga("search", "argon2", "--in", "task")).stdout).not.toContain("Hash");
  expect((await project.saga("search", "argon2", "--max", "1")).stdout).toContain("There are more");
  expect((await project.saga("search", "absent")).stdout).toBe("Nothing found.\n");
});

it("refuses a search without a word", async () => {
  expect((await misused(newSearched(), "search", '""')).message).toContain("no word");
});
