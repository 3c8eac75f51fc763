import { expect, it } from "vitest";
import { newFolder } from "../../test/support/project.ts";
import type { PreparedWork } from "./context.ts";
import { restoreGuardedFiles } from "./restore-guarded-files.ts";

it("files that the agent changed are restored with a warning each, and nothing is said of the others", () => {
  const folder = newFolder();
  const gitDir = folder.write("git/worktrees/a/gitdir", "old\n").replace("/gitdir", "");
  folder.write("worktree/.git", "gitdir: /elsewhere\n");
  const warnings: string[] = [];
  let restored = ["form.json"];
  const work = {
    worktree: `${folder.path}/worktree`,
    gitDir,
    request: { storyId: "a" },
    record: { warn: (text: string) => void warnings.push(text) },
    story: { restoreFiles: () => restored },
  } as unknown as PreparedWork;
  restoreGuardedFiles(work);
  expect(warnings).toEqual([
    "Restored the worktree's .git file.",
    "Restored files of the story: form.json",
  ]);
  expect(folder.read("worktree/.git")).toBe(`gitdir: ${gitDir}\n`);
  restored = [];
  restoreGuardedFiles(work, { isThorough: true });
  expect(warnings).toHaveLength(2);
});
