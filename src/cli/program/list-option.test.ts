import { describe, expect, it } from "vitest";
import { anEpic, aStory, aTask, newProject } from "../../../test/support/project.ts";
import { splitList } from "./list-option.ts";

describe("a list on the command line", () => {
  it.each([
    ["a,b", ["a", "b"]],
    ["a, b ,", ["a", "b"]],
    ["src/{a,b}.ts,test/**", ["src/{a,b}.ts", "test/**"]],
    ["{a,{b,c}},d", ["{a,{b,c}}", "d"]],
    ["", []],
  ])("%j is %j", (text, values) => {
    expect(splitList(text)).toEqual(values);
  });

  it("separates values by commas, spaces or repeated options", async () => {
    const project = newProject();
    const ids = ["e--a", "e--b", "e--c"];
    project.write(
      ".saga/epics/e/epic.json",
      anEpic(
        "e",
        ids.map((id) => ({ id, blockedBy: [] })),
      ),
    );
    for (const id of ids) project.write(`.saga/stories/${id}/story.json`, aStory(id));
    const words = ["d", "--epic", "e", "-d", "x", "--blocked-by", "a,b", "e--c"];
    const more = ["--label", "web,ui", "--label", "auth", "--write", "src/{x,y}.ts,test/**"];
    const { exitCode } = await project.saga("new", "story", ...words, ...more);
    expect(exitCode).toBe(0);
    expect(project.json(".saga/stories/e--d/story.json")).toMatchObject({
      labels: ["web", "ui", "auth"],
      writeFiles: ["src/{x,y}.ts", "test/**"],
    });
    expect(project.json(".saga/epics/e/epic.json")["children"]).toContainEqual({
      id: "e--d",
      blockedBy: ids,
    });
    project.write(".saga/stories/e--d/one.json", aTask("one"));
    project.write(".saga/stories/e--d/two.json", aTask("two"));
    await project.saga("new", "task", "e--d", "last", "-d", "x", "--blocked-by", "one,two");
    expect(project.json(".saga/stories/e--d/last.json")["blockedBy"]).toEqual(["one", "two"]);
  });

  it("is checked against its choices, one by one", async () => {
    const project = newProject();
    project.write(".saga/stories/a/story.json", aStory("a"));
    const { exitCode } = await project.saga("list", "--state", "pending,ready");
    expect(exitCode).toBe(0);
    const { stderr } = await project.saga("list", "--state", "pending,odd");
    expect(stderr).toContain("Use one of: pending, waiting");
  });

  it("works for the rules of --override", async () => {
    const accept = ["accept", "a", "--override", "protected,check", "--override"];
    const known = await newProject().saga(...accept, "size");
    expect(known.stderr).toContain("Overriding a rule needs a reason.");
    const odd = await newProject().saga(...accept, "size,odd");
    expect(odd.stderr).toContain("Use one of: protected, saga");
  });
});
