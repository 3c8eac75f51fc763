import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { claudeTask } from "../../../test/support/claude-list.ts";
import { newFolder, newProject } from "../../../test/support/project.ts";
import { openStore } from "../../store/file-store.ts";
import { attentionOfPoolTask } from "../../story/state/task-attention.ts";
import { poolNeedRow, poolReadyRow, readPoolAttention } from "./pool-attention.ts";

it.each([
  ["needs-you", "needs you", "blocked"],
  ["broken", "broken", "failed"],
])("a task that is %s has a row with the next command", (kind, word, state) => {
  const attention = attentionOfPoolTask({
    id: "7",
    state: kind,
    why: "Which one?\n\nI cannot decide.",
  });
  if (attention === undefined) throw new Error("The task needs no person.");
  const row = poolNeedRow({ list: "l", task: "7", subject: "Do it", attention });
  expect(row).toMatchObject({ id: "pool task 7", word, state, next: attention.next });
  expect(row.about).toEqual(["Do it", expect.stringMatching(/Which one\?$/)]);
});

it("ready tasks have one row for their list", () => {
  expect(poolReadyRow({ list: "l", tasks: 1 })).toMatchObject({
    id: "pool l",
    word: "1 loose task ready",
  });
  expect(poolReadyRow({ list: "l", tasks: 2 })).toMatchObject({
    word: "2 loose tasks ready",
    next: "saga auto",
  });
});

it("tasks on the list of another repository are for its own people", async () => {
  const project = newProject();
  const home = newFolder().path;
  project.write(".saga/config.toml", '[auto]\ntask_list_id = "chores"\n');
  const list = join(home, ".claude/tasks/chores");
  mkdirSync(list, { recursive: true });
  writeFileSync(join(list, "1.json"), JSON.stringify(claudeTask("1")));
  const read = () => readPoolAttention(openStore(project.path), { HOME: home }, []);
  expect((await read()).ready).toEqual([{ list: "chores", tasks: 1 }]);
  const other = newFolder().path;
  writeFileSync(join(list, ".saga-owner"), JSON.stringify({ repository: other }));
  expect(await read()).toEqual({ needs: [], ready: [] });
});
