import type { Problem } from "../../../errors.ts";
import type { Environment } from "../../../machine/processes/environment.ts";
import { layoutOf } from "../../../store/project/layout.ts";
import type { Store } from "../../../store/store.ts";
import { checkoutCopyProblems } from "../../../store/views/checkout-copy.ts";
import { count } from "../../../text/plural.ts";
import { editedCopy, editedProblem } from "../../output/edited-copy.ts";
import type { Build } from "../../program/command.ts";
import { describeProblem } from "../../output/terminal.ts";

/** Of the copies in the checkout of stories that have a worktree: invalid files, and edits that have no effect. */
async function checkoutProblems(store: Store, env: Environment): Promise<Problem[]> {
  const { stories } = await store.overview();
  const problems: Problem[] = [];
  for (const [id, { record }] of stories) {
    if (record.source !== "worktree") continue;
    problems.push(...checkoutCopyProblems(layoutOf(store.project), record));
    // An unreadable story is reported already.
    const whole = await store.readStory(id).catch(() => undefined);
    const edited = whole && (await editedCopy({ store, env }, whole));
    if (edited) problems.push(editedProblem(edited, store.project));
  }
  return problems;
}

export const build: Build = (builder) =>
  builder.action(
    builder.command(
      "validate",
      "Check every file, and say how to fix each problem.",
      ["saga validate", "saga validate --json"],
      { 1: "there are errors, not only warnings" },
    ),
    async ({ openProject, io }) => {
      const store = openProject();
      const { problems: invalid, counts } = await store.validate();
      const problems = [...invalid, ...(await checkoutProblems(store, io.env))];
      const errors = problems.filter((problem) => problem.severity === "error").length;
      const warnings = problems.length - errors;
      const isEmpty = counts.epics + counts.stories + counts.tasks === 0;
      const what = [
        count(counts.epics, "epic"),
        count(counts.stories, "story", "stories"),
        count(counts.tasks, "task"),
      ].join(", ");
      return {
        json: { isValid: errors === 0, counts, problems },
        exitCode: errors === 0 ? 0 : 1,
        text: (paint) => {
          const verdict =
            errors === 0
              ? paint("green", isEmpty ? "No epics, stories or tasks yet." : `Valid: ${what}.`)
              : paint("red", `${count(errors, "error")} in ${what}.`);
          const extra = warnings === 0 ? "" : ` ${count(warnings, "warning")}.`;
          return `${[...problems.map((one) => describeProblem(one, paint, io.cwd)), `${verdict}${extra}`].join("\n")}\n`;
        },
      };
    },
  );
