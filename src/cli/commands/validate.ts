import { count } from "../../story/count.ts";
import type { Build } from "../command.ts";
import { describeProblem } from "../output.ts";

export const build: Build = (shell) =>
  shell.action(
    shell.command(
      "validate",
      "Check every file and say what is wrong and how to fix it.",
      ["saga validate", "saga validate --json"],
      { 1: "there are errors; warnings alone are no reason" },
    ),
    async ({ openProject, io }) => {
      const { problems, counts } = await openProject().validate();
      const errors = problems.filter((problem) => problem.severity === "error").length;
      const warnings = problems.length - errors;
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
              ? paint("green", `Valid: ${what}.`)
              : paint("red", `${count(errors, "error")} in ${what}.`);
          const extra = warnings === 0 ? "" : ` ${count(warnings, "warning")}.`;
          return `${[...problems.map((one) => describeProblem(one, paint, io.cwd)), `${verdict}${extra}`].join("\n")}\n`;
        },
      };
    },
  );
