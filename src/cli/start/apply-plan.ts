// Shared by `new` and `stage`: applies a plan, or refuses it with all its problems, and lists what was written.

import { resolve } from "node:path";
import { readGivenIfThere } from "../../machine/files/files.ts";
import { SagaError } from "../../errors.ts";
import type { StageOptions } from "../../store/store.ts";
import type { Plan } from "../../story/plan/plan.ts";
import type { StagedFile } from "../../story/plan/stage.ts";
import type { CommandResult, CommandContext } from "../program/command.ts";
import type { Paint } from "../output/terminal.ts";

export async function applyPlan(
  context: CommandContext,
  plan: Plan,
  options: StageOptions,
): Promise<readonly StagedFile[]> {
  const { files, problems } = await context.openProject().stage(plan, options);
  const errors = problems.filter((problem) => problem.severity === "error");
  if (errors.length === 0) return files;
  throw new SagaError("bad-plan", "Nothing was written:", {
    problems: errors,
    hint: "Fix the problems and run the command again.",
  });
}

/** The text of the plan that a person named, or of standard input. */
export async function readPlanText(
  { io, cwd }: Pick<CommandContext, "io" | "cwd">,
  file: string,
  hint: string,
): Promise<{ readonly name: string; readonly text: string }> {
  const name = file === "-" ? "<stdin>" : resolve(cwd, file);
  const text = file === "-" ? await io.readInput() : readGivenIfThere(name);
  if (text !== undefined) return { name, text };
  throw new SagaError("not-found", `There is no file ${name}.`, { hint });
}

export function stagedResult(files: readonly StagedFile[], isDryRun = false): CommandResult {
  return {
    json: {
      isDryRun,
      files: files.map(({ kind, owner, id, action }) => ({ kind, owner, id, action })),
    },
    text: (paint) => {
      const isNewEpic = ({ kind, action }: StagedFile): boolean =>
        kind === "epic" && action === "create";
      const changed = [
        ...files.filter(isNewEpic),
        ...files.filter((file) => file.action !== "keep" && !isNewEpic(file)),
      ];
      if (changed.length === 0) return "Everything exists already; nothing was changed.\n";
      const end = isDryRun ? ["Dry run: nothing was written."] : [];
      return `${[...changed.map((file) => line(file, isDryRun, paint)), ...end].join("\n")}\n`;
    },
  };
}

function line({ kind, owner, id, action }: StagedFile, isDryRun: boolean, paint: Paint): string {
  const name = kind === "task" ? `${owner}/${id}` : id;
  const verb = isDryRun ? action : `${action}d`;
  return `${paint(action === "create" ? "green" : "yellow", verb)}  ${kind.padEnd(5)}  ${name}`;
}
