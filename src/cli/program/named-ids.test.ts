import { describe, expect, it } from "vitest";
import { SagaError } from "../../errors.ts";
import { layoutOf } from "../../store/project/layout.ts";
import { withSuggestion } from "./named-ids.ts";
import { anEpic, aStory, aTask, newProject, type Project } from "../../../test/support/project.ts";

function todo(): Project {
  const project = newProject();
  const ids = ["todo-crud--create", "todo-crud--list", "search--list", "api"];
  const children = ids.slice(0, 2).map((id) => ({ id, blockedBy: [] }));
  project.write(".saga/epics/todo-crud/epic.json", anEpic("todo-crud", children));
  for (const id of ids) project.write(`.saga/stories/${id}/story.json`, aStory(id));
  project.write(".saga/stories/todo-crud--create/form.json", aTask("form"));
  project.write(".saga/archive/old--gone/story.json", aStory("old--gone", { status: "completed" }));
  return project;
}

describe("a short form of a story's id", () => {
  it.each([
    ["show", "create"],
    ["journal", "create"],
    ["show", "create/form"],
  ])("is understood by saga %s %s", async (command, word) => {
    const { exitCode, stderr } = await todo().saga(command, word);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  });

  it("is written as the whole id", async () => {
    const project = todo();
    await project.saga("new", "task", "create", "tests", "-d", "x");
    expect(project.json(".saga/stories/todo-crud--create/tests.json")).toMatchObject({
      id: "tests",
    });
  });

  it("works where several stories can be named", async () => {
    const { stderr } = await todo().saga("archive", "create", "api");
    expect(stderr).toContain("The story todo-crud--create is not completed.");
  });

  it("finds an archived story", async () => {
    expect((await todo().saga("show", "gone", "--json")).json()).toMatchObject({ id: "old--gone" });
  });

  it("may be the first words of a story's own part, if they fit only one", async () => {
    const project = todo();
    project.write(".saga/stories/todo-crud--setup-db/story.json", aStory("todo-crud--setup-db"));
    const show = async (word: string) => (await project.saga("show", word, "--json")).json();
    expect(await show("setup")).toMatchObject({ id: "todo-crud--setup-db" });
    project.write(".saga/stories/setup-ci/story.json", aStory("setup-ci"));
    expect(await show("setup")).toHaveProperty("error");
    expect(await show("setup-d")).toHaveProperty("error");
  });

  it("that fits several stories is refused, and all of them are suggested", async () => {
    const { exitCode, stderr } = await todo().saga("journal", "list");
    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      "saga: There is no story list.\nDid you mean search--list or todo-crud--list? `saga list` shows all stories and epics.\n",
    );
  });

  it("yields to a story or epic with exactly that id", async () => {
    const project = todo();
    project.write(".saga/stories/create/story.json", aStory("create"));
    expect((await project.saga("show", "create", "--json")).json()).toMatchObject({ id: "create" });
    project.write(".saga/epics/list/epic.json", anEpic("list", []));
    expect((await project.saga("show", "list", "--json")).json()).toMatchObject({ children: [] });
  });
});

describe("an unknown id", () => {
  it.each([
    [["run", "todo-crud--creat"], "Did you mean todo-crud--create?"],
    [["journal", "creat"], "Did you mean todo-crud--create?"],
    [["logs", "cerate"], "Did you mean todo-crud--create?"],
    [["show", "todo-curd"], "Did you mean todo-crud?"],
    [["edit", "todo-curd", "--set", "title=x"], "Did you mean todo-crud?"],
    [["attach", "todo-crud--creat"], "Did you mean todo-crud--create?"],
    [["list", "--epic", "todo-curd"], "Did you mean todo-crud?"],
    [["new", "story", "x", "-d", "x", "--epic", "todo-curd"], "Did you mean todo-crud?"],
    [["stop", "todo-crud"], "todo-crud is an epic: `saga epic stop todo-crud`."],
    [["archive", "todo-crud"], "todo-crud is an epic: `saga archive --epic todo-crud`."],
    [["unarchive", "todo-crud"], "todo-crud is an epic: `saga unarchive --epic todo-crud`."],
    [["journal", "todo-crud"], "todo-crud is an epic; `saga show todo-crud` lists its stories."],
    [["epic", "run", "todo-curd"], "Did you mean todo-crud?"],
    [["epic", "run", "api"], "api is a story: `saga show api`."],
  ])("saga %j: %s", async (words, suggestion) => {
    const { exitCode, stderr } = await todo().saga(...words);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(suggestion);
  });

  it("is found by its key, not by the words of the error", () => {
    const at = layoutOf(todo().path);
    const words = [{ kind: "story", word: "creat" }] as const;
    const suggestionOn = (details: { missingId?: string }): string | undefined =>
      (
        withSuggestion(
          new SagaError("not-found", "Nothing creat.", details),
          at,
          words,
          "show",
        ) as SagaError
      ).hint;
    expect(suggestionOn({ missingId: "creat" })).toBe("Did you mean todo-crud--create?");
    expect(suggestionOn({ missingId: "other" })).toBeUndefined();
    expect(suggestionOn({})).toBeUndefined();
  });

  it("unlike all others is refused without a suggestion", async () => {
    const { stderr } = await todo().saga("journal", "payments");
    expect(stderr).toBe(
      "saga: There is no story payments.\n`saga list` shows all stories and epics.\n",
    );
  });
});

describe("an unknown option", () => {
  it.each([
    [["new", "story", "x", "--descripton", "y"], "--descripton", "--description"],
    [["new", "story", "x", "--desc", "y"], "--desc", "--description"],
    [["new", "story", "x", "-d", "y", "--prio=1"], "--prio", "--priority"],
    [["list", "--jsn"], "--jsn", "--json"],
    [["show", "api", "--hlep"], "--hlep", "--help"],
  ])("saga %j is reported before a missing one", async (words, flag, meant) => {
    const { stderr } = await todo().saga(...words);
    expect(stderr).toContain(`saga: Unknown option ${flag}.\nDid you mean ${meant}? `);
  });

  it("is not assumed when a required option is simply missing", async () => {
    const { stderr } = await todo().saga("new", "story", "x", "--priority", "1");
    expect(stderr).toContain("Missing option -d, --description <text>");
  });
});

describe("the kind before an id", () => {
  it.each([
    ["show", "story", "api"],
    ["show", "epic", "todo-crud"],
    ["show", "task", "create", "form"],
    ["show", "task", "todo-crud--create/form"],
    ["journal", "story", "api"],
  ])("is understood: saga %s %s %s", async (...words) => {
    const { exitCode, stderr } = await todo().saga(...words);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  });

  it("of a split is understood, and a missing task is answered with the commands that help", async () => {
    const project = todo();
    const split = await project.saga("split", "task", "todo-crud--create", "none");
    expect(split.stderr).toContain("The story todo-crud--create has no task none.");
    const { exitCode, stderr } = await project.saga("split", "story", "todo-crud--create");
    expect(exitCode).toBe(64);
    expect(stderr).toBe(
      "saga: Missing argument <task>: `saga split` takes one task of a story.\n`saga show todo-crud--create` lists its tasks. Then: `saga split todo-crud--create <task>`.\n",
    );
  });

  it("stays the name of a story that is called so", async () => {
    const project = todo();
    project.write(".saga/stories/story/story.json", aStory("story"));
    project.write(".saga/stories/story/api.json", aTask("api"));
    expect((await project.saga("show", "story", "api", "--json")).json()).toMatchObject({
      story: "story",
      id: "api",
    });
  });
});
