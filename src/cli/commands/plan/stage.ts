import { resolve } from "node:path";
import { SagaError } from "../../../errors.ts";
import { readGivenIfThere } from "../../../machine/files/files.ts";
import { locate, parseJson } from "../../../store/project/document.ts";
import { parsePlan, payloadIn, type Plan } from "../../../story/plan/plan.ts";
import type { Build, CommandContext } from "../../program/command.ts";
import { applyPlan, stagedResult } from "../../start/apply-plan.ts";

interface StageFlags {
  readonly update?: boolean;
  readonly dryRun?: boolean;
}

export const build: Build = (builder) =>
  builder.action(
    builder
      .command(
        "stage",
        "Create epics, stories and tasks from one plan. All of it is written, or nothing.",
        [
          "saga stage plan.json",
          "saga stage plan.json --dry-run        what it would do",
          "saga stage --update < plan.json       also change what exists",
          "saga schema plan                      the form of a plan",
        ],
      )
      .argument("[file]", "the plan as JSON; standard input when left out or -")
      .option("--update", "change what exists and differs, except its status")
      .option("--dry-run", "check and show, but write nothing"),
    async (context, [file], { update = false, dryRun = false }: StageFlags) => {
      const { plan, source } = await readPlan(context, file);
      const files = await applyPlan(context, plan, {
        // A payload is an update by its name.
        canUpdate: update || plan.isPartial,
        source,
        isDryRun: dryRun,
      });
      return stagedResult(files, dryRun);
    },
  );

async function readPlan(
  context: CommandContext,
  file: string | undefined,
): Promise<{ plan: Plan; source: { name: string; text: string } }> {
  const name = file === undefined || file === "-" ? "<stdin>" : resolve(context.cwd, file);
  const given = name === "<stdin>" ? await context.io.readInput() : readGivenIfThere(name);
  if (given === undefined) {
    throw new SagaError("not-found", `There is no file ${name}.`, {
      hint: "Name the plan, or pipe it in: `saga stage < plan.json`.",
    });
  }
  if (given.trim() === "") {
    throw new SagaError("usage", "There is no plan to stage.", {
      hint: "Name a file, or pipe the plan in: `saga stage < plan.json`.",
    });
  }
  const text = payloadIn(given) ?? given;
  const json = parseJson(name, text);
  if (json.problem) throw notAPlan([json.problem]);
  const parsed = parsePlan(json.value);
  if (parsed.problems) throw notAPlan(locate(name, text, parsed.problems));
  if (parsed.plan.epics.length + parsed.plan.stories.length === 0) {
    throw new SagaError("bad-plan", "The plan is empty: it holds no epic and no story.", {
      hint: "`saga schema plan` prints the form of a plan.",
    });
  }
  return { plan: parsed.plan, source: { name, text } };
}

const notAPlan = (problems: SagaError["problems"]): SagaError =>
  new SagaError("bad-plan", "Nothing was written, because the plan is not valid:", {
    problems,
    hint: "`saga schema plan` prints the form of a plan.",
  });
