// A process that merges a story, and records each commit that it had to verify. Arguments: project folder, branch, target,
// `here` or `remote`, the file to write to.

import { appendFileSync } from "node:fs";
import { findRepository } from "../../../src/repo/repository.ts";
import { deliver } from "../deliver.ts";

const [project = "", branch = "", target = "", place = "here", file = ""] = process.argv.slice(2);
const outcome = await deliver({
  repository: await findRepository(project, process.env),
  branch,
  target: { branch: target, place: place === "remote" ? "remote" : "here" },
  updateCheckouts: true,
  verify: async (_, commit) => {
    appendFileSync(file, `${commit}\n`);
    return { isPassed: true };
  },
});
process.stdout.write(JSON.stringify(outcome));
