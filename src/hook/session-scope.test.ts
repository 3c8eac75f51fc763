import { join } from "node:path";
import { expect, it } from "vitest";
import { newFolder } from "../../test/support/project.ts";
import { judgePaths } from "../agent/scope/scope.ts";
import { judgeSession } from "./session-scope.ts";

it("lets a session write its plans where its settings are behind a link, as /tmp is on a Mac", () => {
  const { path, write, link } = newFolder();
  write("project/.saga/worktrees/login/.git", "gitdir: nowhere");
  write("elsewhere/settings/plans/old.md", "");
  link("settings", "elsewhere/settings");
  const project = join(path, "project");
  const checkout = join(project, ".saga/worktrees/login");
  const judge = (file: string) =>
    judgeSession(
      {
        input: { cwd: checkout, tool_name: "Write", tool_input: { file_path: file } },
        place: { project, checkout, context: "story-worktree", storyId: "login" },
        env: { HOME: join(path, "home"), CLAUDE_CONFIG_DIR: join(path, "settings") },
      },
      judgePaths,
    );
  expect(judge(join(path, "settings/plans/new.md"))).toBeUndefined();
  expect(judge(join(path, "elsewhere/settings/plans/new.md"))).toBeUndefined();
  expect(judge(join(path, "settings/settings.json"))).toBeDefined();
});
