// A process that splits one task of a story. Arguments: project folder, story, task, and the proposal as JSON.

import { openStore } from "../../../src/store/file-store.ts";
import { DEFAULT_CEILING } from "../../../src/story/definition/validate.ts";
import { parseProposal } from "../../../src/story/plan/split-proposal.ts";
import { splitTask } from "../../../src/story/plan/split.ts";

const [project = "", storyId = "", task = "", json = ""] = process.argv.slice(2);
const { proposal = [] } = parseProposal(JSON.parse(json));
const rules = { finished: false, ceiling: DEFAULT_CEILING };
const split = await openStore(project).splitTask(
  storyId,
  (tasks) => splitTask(tasks, task, proposal, rules),
  (into) => ({
    kind: "decision",
    at: "2026-11-15T12:00:00.000Z",
    title: `${task} is split into ${into.join(", ")}`,
    body: "",
    blocker: undefined,
  }),
);
if (split.kind === "refused") throw new Error(JSON.stringify(split.problems));
