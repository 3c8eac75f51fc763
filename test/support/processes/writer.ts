// A process that repeatedly adds to a story and prints each success. Arguments: project folder, story, how often.

import { openStore } from "../../../src/store/file-store.ts";

const [project = "", storyId = "", times = "0"] = process.argv.slice(2);
const store = openStore(project);
for (let done = 0; done < Number(times); done++) {
  await store.updateStory(storyId, (fields) => ({
    ...fields,
    count: Number(fields["count"] ?? 0) + 1,
  }));
  // Until the system has it: what waits in this process's memory is lost with it.
  await new Promise((written) => process.stdout.write("+", written));
}
