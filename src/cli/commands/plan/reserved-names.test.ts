import { describe, expect, it } from "vitest";
import { aStory, aTask, newProject } from "../../../../test/support/project.ts";
import { refused, refusedWithInput } from "../../../../test/support/refused.ts";

describe.each(["auto-1", "auto-27", "auto-daemon"])("the name %s is the pool's", (id) => {
  it("and `saga new` makes no story of it", async () => {
    const project = newProject();
    const { code, message } = await refused(project, "new", "story", id, "-d", "Something.");
    expect([code, message]).toEqual([
      "bad-id",
      `The story id "${id}" is reserved for the workers of the pool.`,
    ]);
  });

  it("and `saga stage` takes no story of it", async () => {
    const plan = JSON.stringify({ stories: [aStory(id)] });
    const { problems } = await refusedWithInput(newProject(), plan, "stage", "-");
    expect(problems.map(({ message }) => message)).toContain(
      `\`stories[0].id\` ("${id}") is reserved for the workers of the pool.`,
    );
  });

  it("and `saga validate` reports an existing one", async () => {
    const project = newProject();
    project.write(`.saga/stories/${id}/story.json`, aStory(id));
    project.write(`.saga/stories/${id}/t.json`, aTask("t"));
    const { exitCode, stdout } = await project.saga("validate");
    expect(exitCode).toBe(1);
    expect(stdout).toContain("is reserved for the workers of the pool");
  });
});

it("a story of an epic called auto keeps its name", async () => {
  const project = newProject();
  await project.saga("new", "epic", "auto", "-d", "Cars.");
  const { exitCode } = await project.saga("new", "story", "1", "--epic", "auto", "-d", "Wheels.");
  expect(exitCode).toBe(0);
  expect(project.json(".saga/stories/auto--1/story.json")["id"]).toBe("auto--1");
});

describe("a name of the pool where a story is expected", () => {
  it.each(["run", "stop", "discard"])(
    "leads `saga %s` to the commands of the pool",
    async (command) => {
      const refusal = await refused(newProject(), command, "auto-1");
      expect(refusal).toMatchObject({
        code: "not-found",
        message: "auto-1 is a worker of the pool, not a story.",
      });
      expect(refusal.hint).toContain("`saga auto stop`");
    },
  );

  it.each(["auto-1", "auto-daemon"])("has no logs yet: %s", async (name) => {
    const { message, hint } = await refused(newProject(), "logs", name);
    expect(message).toBe(`The pool worker ${name} has no runs yet.`);
    expect(hint).toContain("`saga auto status`");
    expect(hint).not.toContain("saga run");
  });

  it("has no session to attach to", async () => {
    const { message, hint } = await refused(newProject(), "attach", "auto-1");
    expect(message).toBe('No session is running for "auto-1".');
    expect(hint).toContain("`saga auto status`");
  });
});
