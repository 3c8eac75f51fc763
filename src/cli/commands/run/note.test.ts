import { expect, it } from "vitest";
import { aStory, aTask, newProject } from "../../../../test/support/project.ts";
import { misused, refused } from "../../../../test/support/refused.ts";

function newStory() {
  const project = newProject();
  project.write(".saga/stories/add-login/story.json", aStory("add-login"));
  project.write(".saga/stories/add-login/form.json", aTask("form"));
  return project;
}

it("a note is kept in the journal, and waits for the next run of a story that is not running", async () => {
  const project = newStory();
  const { stdout } = await project.saga("note", "add-login", "Keep the old route");
  expect(stdout).toBe("✓ Noted. The next run of add-login gets it.\n");
  const { stdout: text } = await project.sagaWithInput(
    "--Careful\n\nClients use it.\n",
    "note add-login - --json",
  );
  expect(JSON.parse(text)).toMatchObject({
    story: "add-login",
    isRunning: false,
    entry: { kind: "note", title: "--Careful", body: "Clients use it." },
  });
  const { entries } = (await project.saga("journal", "add-login", "--json")).json() as {
    entries: { kind: string; title: string }[];
  };
  expect(entries.map(({ kind, title }) => [kind, title])).toEqual([
    ["note", "Keep the old route"],
    ["note", "--Careful"],
  ]);
});

it("a story that is finished says how to have it changed", async () => {
  const project = newStory();
  project.write(".saga/stories/add-login/form.json", aTask("form", { status: "completed" }));
  const { stdout } = await project.saga("note", "add-login", "Keep it");
  expect(stdout).toContain('saga send-back add-login "…" --run');
});

it("refuses an empty note and an unknown story", async () => {
  const project = newStory();
  expect((await misused(project, "note", "add-login", " ")).message).toBe("The note is empty.");
  expect((await refused(project, "note", "add-logn", "x")).hint).toContain("add-login");
});
