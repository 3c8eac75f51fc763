import { expect, it } from "vitest";
import { newProject } from "../../../test/support/project.ts";
import { readCheckSettings } from "./check-settings.ts";
import { loadSettings } from "../project/config.ts";
import { layoutOf } from "../project/layout.ts";

it.each([
  "",
  "[gate]\ncheck_minutes = 3.5\n",
  '[claude]\npass_env = ["DATABASE_URL", "PORT"]\n[gate]\nmax_files = 4\n',
  "[worktree]\nfirst_port = 5000\nports = 0\n",
])("reads the same values as the schema: %j", (text) => {
  const project = newProject();
  project.write(".saga/config.toml", text);
  const at = layoutOf(project.path);
  const { settings, problems } = loadSettings(at);
  expect(problems).toEqual([]);
  expect(settings).toMatchObject(readCheckSettings(at));
});

it.each([
  "[gate]\ncheck_minutes = -1\n",
  "[gate\n",
  '[claude]\npass_env = "X"\n',
  "[worktree]\nfirst_port = 80\nports = 1.5\n",
])("uses the default for an invalid value: %j", (text) => {
  const project = newProject();
  project.write(".saga/config.toml", text);
  const at = layoutOf(project.path);
  expect(loadSettings(at).settings).toMatchObject(readCheckSettings(at));
});
