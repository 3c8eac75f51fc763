import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder, newProject, type Project } from "../../../test/support/project.ts";
import { sessionLocation } from "./session-location.ts";

function withWorktree(at: string): { project: Project; checkout: string } {
  const project = newProject();
  project.write(`${at}/.git`, "gitdir: elsewhere");
  project.write(`${at}/src/deep/a.ts`, "");
  return { project, checkout: join(project.path, at) };
}

describe("a session in a story's worktree", () => {
  it.each([
    [".saga/worktrees/add-login", "add-login"],
    [".saga/worktrees/auth--add-login", "auth--add-login"],
    [".saga/worktrees/stories/add-login", "add-login"],
    [".saga/worktrees/auth/add-login", "auth--add-login"],
  ])("has its story in %s, from any folder", (at, storyId) => {
    const { project, checkout } = withWorktree(at);
    const found = { project: project.path, checkout, context: "story-worktree", storyId };
    expect(sessionLocation(checkout, {})).toEqual(found);
    expect(sessionLocation(`${checkout}//src/./deep/`, {})).toEqual(found);
    expect(sessionLocation(join(checkout, "src/deep"), { SAGA_STORY_ID: "other" })).toEqual(found);
  });

  it("stays in it inside a nested project and through a link", () => {
    const { project, checkout } = withWorktree(".saga/worktrees/add-login");
    project.write(".saga/worktrees/add-login/fixture/.saga/config.toml", "");
    project.link("way-in", ".saga/worktrees/add-login/src");
    const found = { checkout, storyId: "add-login" };
    expect(sessionLocation(join(checkout, "fixture"), {})).toMatchObject(found);
    expect(sessionLocation(join(project.path, "way-in"), {})).toMatchObject(found);
  });

  it("is found through git where `.saga` is a link", () => {
    const folder = newFolder();
    folder.write("state/config.toml", "");
    folder.link("project/.saga", "../state");
    folder.write("project/.git/worktrees/add-login/HEAD", "");
    const checkout = join(folder.path, "state/worktrees/add-login");
    const gitDir = join(folder.path, "project/.git/worktrees/add-login");
    folder.write("state/worktrees/add-login/.git", `gitdir: ${gitDir}\n`);
    folder.write("state/worktrees/add-login/.saga/config.toml", "");
    folder.write("state/worktrees/add-login/src/a.ts", "");
    expect(sessionLocation(join(checkout, "src"), {})).toEqual({
      project: join(folder.path, "project"),
      checkout,
      context: "story-worktree",
      storyId: "add-login",
    });
  });

  it("is found in a project whose path has unusual characters", () => {
    const project = newProject('it\'s $(x) "a"\nb\\ é');
    project.write(".saga/worktrees/one/.git", "gitdir: x");
    expect(sessionLocation(join(project.path, ".saga/worktrees/one"), {})).toMatchObject({
      project: project.path,
      storyId: "one",
    });
  });
});

describe("a session elsewhere", () => {
  it("in a project is in its main checkout, from any folder", () => {
    const project = newProject();
    project.write("src/a.ts", "");
    const main = { project: project.path, checkout: project.path, context: "main" };
    expect(sessionLocation(join(project.path, "src"), {})).toEqual(main);
    expect(sessionLocation(join(project.path, ".saga"), {})).toEqual(main);
  });

  it("in a folder that only looks like a worktree is in the main checkout", () => {
    const project = newProject();
    mkdirSync(join(project.path, ".saga/worktrees/one/.git"), { recursive: true });
    mkdirSync(join(project.path, ".saga/worktrees/two"), { recursive: true });
    project.write(".saga/worktrees/Not An Id/.git", "gitdir: x");
    for (const name of ["one", "two", "Not An Id"]) {
      const found = sessionLocation(join(project.path, ".saga/worktrees", name), {});
      expect(found).toMatchObject({ context: "main", checkout: project.path });
    }
  });

  it.each([
    [{ SAGA_STORY_ID: "one" }, "one"],
    [{ SAGA_STORY_PATH: "one" }, "one"],
    [{ SAGA_EPIC_SLUG: "auth", SAGA_STORY_SLUG: "login" }, "auth--login"],
    [{ SAGA_EPIC_SLUG: "auth" }, undefined],
    [{ SAGA_STORY_ID: "../evil" }, undefined],
    [{ SAGA_STORY_ID: "one", SAGA_EPIC_SLUG: "auth", SAGA_STORY_SLUG: "login" }, "one"],
  ])("takes the story from the environment: %j", (env, storyId) => {
    const project = newProject();
    expect(sessionLocation(project.path, env)).toMatchObject({ context: "main" });
    expect(sessionLocation(project.path, env)?.storyId).toBe(storyId);
  });

  it("outside of every project has no location, whatever the environment says", () => {
    const folder = newFolder();
    folder.write("file/.saga", "not a folder");
    expect(sessionLocation(folder.path, { SAGA_STORY_ID: "one" })).toBeUndefined();
    expect(sessionLocation(join(folder.path, "file"), {})).toBeUndefined();
    expect(sessionLocation(join(folder.path, "missing"), {})).toBeUndefined();
    folder.link("circle/.saga", ".saga");
    expect(sessionLocation(join(folder.path, "circle"), {})).toBeUndefined();
  });
});
