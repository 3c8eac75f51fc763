import { expect, it } from "vitest";
import { newRepository } from "../../../test/support/repository.ts";
import { storyStart } from "../../repo/story-range.ts";
import { CONFLICT_TASK } from "../../story/plan/fix-task.ts";
import type { PreparedWork } from "../context.ts";
import { finishConflictMerge, startConflictMerge } from "./conflict.ts";

it("judges a story from the target that it merged, also if that moved after the work was prepared", async () => {
  const test = newRepository();
  const commit = (files: Readonly<Record<string, string>>): string => {
    for (const [path, text] of Object.entries(files)) test.write(path, text);
    test.git("add", "--all");
    test.git("commit", "--quiet", "--message=work");
    return test.git("rev-parse", "HEAD");
  };
  test.git("switch", "--quiet", "--create", "story/one");
  commit({ "src/main.ts": "story\n" });
  test.git("switch", "--quiet", "main");
  const before = commit({ "src/main.ts": "target\n" });
  const repository = await test.open();
  const onto = commit({ "other.txt": "merged by another story meanwhile\n" });
  test.git("switch", "--quiet", "story/one");
  const { git } = repository;
  const work = {
    request: { storyId: "one" },
    context: {
      store: { readStory: async () => undefined },
      settings: { claude: { sandbox: false }, worktree: { copy: [], link: [] } },
      stop: new AbortController().signal,
    },
    repository,
    git,
    gitDir: `${test.path}/.git`,
    exclude: [],
    base: { target: "main", commit: before, copies: [before] },
    canPush: false,
    story: { status: () => "pending", takeMerged: () => undefined, task: () => undefined },
    record: { warn: (message: string) => expect.fail(message) },
  } as unknown as PreparedWork;

  const { base } = await startConflictMerge(work);
  test.write("src/main.ts", "story and target\n");
  expect(await finishConflictMerge(work)).toBeUndefined();
  const tip = test.git("rev-parse", "HEAD");
  expect(await storyStart(git, { base, tip })).toBe(onto);
  expect(await storyStart(git, { base: work.base, tip })).toBe(before);
});

it("leaves the work as it is without a conflict to resolve", async () => {
  const work = { story: { status: () => "completed" } } as unknown as PreparedWork;
  expect(await startConflictMerge(work)).toBe(work);
  expect(CONFLICT_TASK).toBe("resolve-conflict");
});
