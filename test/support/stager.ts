// A process that stages one story after the other into the epic `all`, and archives every third.
// Words: project folder, how many.

import { openStore } from "../../src/store/file-store.ts";

const [project = "", times = "0"] = process.argv.slice(2);
const store = openStore(project);
for (let at = 0; at < Number(times); at++) {
  const id = `all--number-${at}`;
  const fields = { id, title: `Number ${at}`, description: "One of many.", epic: "all" };
  const tasks = [{ id: "do-it", subject: "Do it", description: "All of it." }];
  const plan = { epics: [], stories: [{ fields, blockedBy: undefined, tasks }], isPartial: false };
  const { problems } = await store.stage(plan, { canUpdate: false, source: { name: "plan" } });
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  if (at % 3 !== 0) continue;
  await store.updateTask(id, "do-it", (task) => ({ ...task, status: "completed" }));
  await store.updateStory(id, (story) => ({ ...story, status: "completed" }));
  await store.archive([id]);
}
