import { expect, it } from "vitest";
import { newRepository } from "../../../test/support/repository.ts";
import { until } from "../../../test/support/until.ts";
import { openStore } from "../../store/file-store.ts";
import type { StoryEvent } from "../../story/state/story-event.ts";
import type { PreparedWork } from "../context.ts";
import { newConflictNotes, watchConflicts } from "./watch-conflicts.ts";

it("gives an agent each new conflict once, in one note, and records it", async () => {
  const test = newRepository();
  const commit = (branch: string, ...files: string[]): void => {
    const isThere = test.git("branch", "--list", branch) !== "";
    test.git("switch", "--quiet", ...(isThere ? [branch] : ["--create", branch, "main"]));
    for (const file of files) test.write(file, `${branch}\n`);
    test.git("add", "--", ...files);
    test.git("commit", "--quiet", "--message=work");
  };
  commit("story/one", "a.txt");
  commit("story/two", "a.txt", "b.txt");
  const events: StoryEvent[] = [];
  const workOf = async (storyId: string): Promise<PreparedWork> => {
    const store = openStore(test.path);
    return {
      request: { storyId },
      context: {
        store: { ...store, viewStory: async () => ({ state: "review", isWorktreeGone: true }) },
        now: Date.now,
      },
      repository: await test.open(),
      base: { target: "main", ref: "refs/heads/main" },
      canPush: false,
      story: { definition: () => ({ title: `Do ${storyId}`, description: "" }) },
      record: {
        note: (event: StoryEvent) => void events.push(event),
        warn: (message: string) => expect.fail(message),
      },
    } as unknown as PreparedWork;
  };
  const other = watchConflicts(await workOf("two"), newConflictNotes());
  await until(async () => (await openStore(test.path).openWorks.list()).length === 1);
  await other.end();

  const notes = newConflictNotes();
  const watch = watchConflicts(await workOf("one"), notes);
  await until(() => events.length === 1);
  expect(events).toEqual([
    { type: "conflict.ahead", kind: "story", with: "two", files: ["a.txt"] },
  ]);
  const note = watch.noteForAgent();
  expect(note).toContain('with the story two, "Do two", in a.txt.');
  expect(watch.noteForAgent()).toBeUndefined();

  commit("story/one", "b.txt");
  watch.committed();
  await until(() => events.length === 2);
  expect(watch.noteForAgent()).toContain("in a.txt, b.txt.");
  await watch.end();

  // The same conversation continues: nothing is new.
  const again = watchConflicts(await workOf("one"), notes);
  again.committed();
  await again.end();
  expect(again.noteForAgent()).toBeUndefined();
});
