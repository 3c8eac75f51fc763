// A process that stages one story after the other into the epic `all`, and archives every third,
// until its input ends. Argument: project folder.

import { setTimeout as pause } from "node:timers/promises";
import { openStore } from "../../../src/store/file-store.ts";

const [project = ""] = process.argv.slice(2);
const store = openStore(project);
const input = { isOpen: true };
process.stdin.resume().once("end", () => {
  input.isOpen = false;
});
for (let at = 0; input.isOpen; at++) {
  const id = `all--number-${at}`;
  const fields = { id, title: `Number ${at}`, description: "One of many.", epic: "all" };
  const tasks = [{ id: "do-it", subject: "Do it", description: "All of it." }];
  const plan = { epics: [], stories: [{ fields, blockedBy: undefined, tasks }], isPartial: false };
  const { problems } = await store.stage(plan, { canUpdate: false, source: { name: "plan" } });
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  if (at % 3 === 0) {
    await store.setTaskStatus(id, "do-it", "completed");
    await store.updateStory(id, (story) => ({ ...story, status: "completed" }));
    await store.archive([id]);
  }
  process.stdout.write("+");
  // Pauses, so that others can write too and the end of the input is noticed.
  await pause(5);
}
