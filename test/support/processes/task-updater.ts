// A process that repeatedly increments a counter in a Claude task. Arguments: the list's folder, the task, how often.

import { updateTask } from "../../../src/claude/tasks/list.ts";

const [folder = "", id = "", times = "0"] = process.argv.slice(2);
for (let done = 0; done < Number(times); done++) {
  await updateTask(folder, id, (task) => ({
    ...task,
    metadata: { count: Number(task.metadata?.["count"] ?? 0) + 1 },
  }));
  process.stdout.write("+");
}
