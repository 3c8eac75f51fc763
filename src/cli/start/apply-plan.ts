// What `new` and `stage` share: hand a plan to the store, refuse it with all its problems, or say
// what was written.

import { SagaError } from "../../errors.ts";
import type { StageOptions } from "../../store/store.ts";
import type { Plan } from "../../story/plan/plan.ts";
import type { StagedFile } from "../../story/plan/stage.ts";
import type { CommandResult, CommandContext } from "../program/command.ts";
import type { Paint } from "../output/terminal.ts";

export async function carryOut(
  context: CommandContext,
  plan: Plan,
  options: StageOptions,
): Promise<readonly StagedFile[]> {
  const { files, problems } = await context.openProject().stage(plan, options);
  const errors = problems.filter((problem) => problem.severity === "error");
  if (errors.length === 0) return files;
  throw new SagaError("bad-plan", "Nothing was written:", {
    problems: errors,
    hint: "Correct it and run the command again.",
  });
}

export function whatWasStaged(files: readonly StagedFile[], isDryRun = false): CommandResult {
  return {
    json: {
      isDryRun,
      files: files.map(({ kind, owner, id, action }) => ({ kind, owner, id, action })),
    },
    text: (paint) => {
      const isNewEpic = (file: StagedFile): boolean =>
        file.kind === "epic" && file.action === "create";
      const changed = [
        ...files.filter(isNewEpic),
        ...files.filter((file) => file.action !== "keep" && !isNewEpic(file)),
      ];
      if (changed.length === 0) return "Everything is there already; nothing was changed.\n";
      const end = isDryRun ? ["Nothing was written: this was a dry run."] : [];
      return `${[...changed.map((file) => line(file, paint)), ...end].join("\n")}\n`;
    },
  };
}

function line({ kind, owner, id, action }: StagedFile, paint: Paint): string {
  const name = kind === "task" ? `${owner}/${id}` : id;
  return `${paint(action === "create" ? "green" : "yellow", action.padEnd(6))}  ${kind.padEnd(5)}  ${name}`;
}
