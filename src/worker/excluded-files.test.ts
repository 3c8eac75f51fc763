import { expect, it } from "vitest";
import { defaults } from "../../test/support/default-settings.ts";
import type { PreparedWork } from "./context.ts";
import { excludedFiles } from "./excluded-files.ts";

it.each([
  [false, ["node_modules"]],
  [true, ["node_modules", "/w/.bashrc"]],
])("files that the sandbox makes are never committed (sandbox: %s)", (sandbox, files) => {
  const settings = { ...defaults, claude: { ...defaults.claude, sandbox } };
  const agent = { ownFiles: (folder: string) => [`${folder}/.bashrc`] };
  const work = { context: { agent, settings }, worktree: "/w", exclude: ["node_modules"] };
  expect(excludedFiles(work as unknown as PreparedWork)).toEqual(files);
});
