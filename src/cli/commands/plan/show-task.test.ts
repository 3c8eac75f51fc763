import { describe, expect, it } from "vitest";
import { projectWith } from "../../../../test/support/one-story.ts";
import { aStory, aTask, type Project } from "../../../../test/support/project.ts";
import { refused } from "../../../../test/support/refused.ts";

const withStory = (fields: Record<string, unknown> = {}): Project =>
  projectWith(aStory("s", fields));

describe("saga show <story>/<task>", () => {
  it("shows one task in full", async () => {
    const project = withStory();
    project.write(".saga/stories/s/first.json", aTask("first"));
    project.write(
      ".saga/stories/s/t.json",
      aTask("t", {
        blockedBy: ["first"],
        guidance: "Slowly.",
        doneWhen: "It is done.",
        checks: ["true"],
        writeFiles: ["a.txt"],
        estimatedLines: 20,
      }),
    );
    const { exitCode, stdout } = await project.saga("show", "s/t");
    expect(exitCode).toBe(0);
    expect(stdout).toBe(
      [
        "◌ Do t  waiting",
        "  Task          t",
        "  Story         s",
        "  After         first",
        "  Lines         20",
        "",
        "Description",
        "  How to do t.",
        "",
        "Guidance",
        "  Slowly.",
        "",
        "Done when",
        "  It is done.",
        "",
        "Checks",
        "  true",
        "",
        "Writes",
        "  a.txt",
        "",
      ].join("\n"),
    );
  });

  it("gives programs the task with its state", async () => {
    const project = withStory();
    project.write(".saga/stories/s/t.json", aTask("t", { ours: 1 }));
    const { json } = await project.saga("show", "s/t", "--json");
    expect(json()).toMatchObject({ id: "t", story: "s", state: "ready", ours: 1 });
  });

  it("lists the tasks when the given one does not exist", async () => {
    const project = withStory();
    project.write(".saga/stories/s/t.json", aTask("t"));
    const { code, text } = await refused(project, "show", "s/nope");
    expect(code).toBe("not-found");
    expect(text).toContain("The story s has no task nope.");
    expect(text).toContain("Its tasks: t.");
  });

  it.each(["s/", "s/t/more", "/t", "s/../s/t", "../../etc/passwd"])(
    "is not guessed at: %s",
    async (id) => {
      const project = withStory();
      project.write(".saga/stories/s/t.json", aTask("t"));
      const { message } = await refused(project, "show", id);
      expect(message).not.toContain("no task .");
      expect(message).toContain(id);
    },
  );
});

it("saga show takes a story and a task as two words", async () => {
  const project = withStory();
  project.write(".saga/stories/s/form.json", aTask("form"));
  const [two, one] = [
    await project.saga("show", "s", "form"),
    await project.saga("show", "s/form"),
  ];
  expect(two.exitCode).toBe(0);
  expect(two.stdout).toBe(one.stdout);
  expect((await refused(project, "show", "s/form", "more")).text).toContain(
    '"s/form/more" cannot be the name of',
  );
});
