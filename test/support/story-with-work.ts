// A story with one committed task, and a dashboard to ask about it.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { commitTask } from "../../src/repo/commits/commits.ts";
import { startTestDashboard } from "./dashboard.ts";
import { aStory } from "./project.ts";
import { newRepository, prepare, STORY, type TestRepository } from "./repository.ts";

export async function withWork(checks: readonly string[] = []): Promise<TestRepository> {
  const test = newRepository();
  if (checks.length > 0) test.write(`.saga/stories/${STORY}/story.json`, aStory(STORY, { checks }));
  const { folder } = await prepare(test);
  writeFileSync(join(folder, "new file.txt"), "one\ntwo\n");
  const { git } = await test.open();
  await commitTask({
    git: git.at(folder),
    storyId: STORY,
    task: { id: "form", subject: "Do form" },
    exclude: [],
  });
  return test;
}

export async function askDashboard(test: TestRepository) {
  const { ask, own } = await startTestDashboard(test, { env: test.env });
  const get = async <T>(path: string): Promise<T> => {
    const { text } = await ask(path, { headers: own });
    return JSON.parse(text) as T;
  };
  return { get, status: async (path: string) => (await ask(path, { headers: own })).status };
}
