import { SagaError } from "../../../errors.ts";
import { locate, parseJson } from "../../../store/project/document.ts";
import { parsePlan, payloadIn, type Plan } from "../../../story/plan/plan.ts";
import type { Build, CommandContext } from "../../program/command.ts";
import { applyPlan, stagedResult, readPlanText } from "../../start/apply-plan.ts";

interface StageFlags {
  readonly update?: boolean;
  readonly dryRun?: boolean;
}

export const build: Build = (builder) =>
  builder.action(
    builder
      .command("stage", "Create epics, stories and tasks from one plan, all or nothing.", [
        "saga stage plan.json",
        "saga stage plan.json --dry-run        show the changes only",
        "saga stage --update < plan.json       also update existing ones",
        "saga schema plan                      the format of a plan",
      ])
      .argument("[file]", "the plan as JSON (default: standard input)")
      .option("--update", "update existing epics, stories and tasks; their status is kept")
      .option("--dry-run", "check the plan and show the changes, but write nothing"),
    async (context, [file], { update = false, dryRun = false }: StageFlags) => {
      const { plan, source } = await readPlan(context, file);
      const files = await applyPlan(context, plan, {
        // A payload of a single epic or story is always an update.
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
  const hint = "Name the plan, or pipe it in: `saga stage < plan.json`.";
  const { name, text: content } = await readPlanText(context, file ?? "-", hint);
  if (content.trim() === "") {
    throw new SagaError("usage", "The plan is empty.", { hint });
  }
  const text = payloadIn(content) ?? content;
  const json = parseJson(name, text);
  if (json.problem) throw invalidPlan([json.problem]);
  const parsed = parsePlan(json.value);
  if (parsed.problems) throw invalidPlan(locate(name, text, parsed.problems));
  if (parsed.plan.epics.length + parsed.plan.stories.length === 0) {
    throw new SagaError("bad-plan", "The plan has no epics and no stories.", {
      hint: "`saga schema plan` prints the format of a plan.",
    });
  }
  return { plan: parsed.plan, source: { name, text } };
}

const invalidPlan = (problems: SagaError["problems"]): SagaError =>
  new SagaError("bad-plan", "Nothing was written: the plan is invalid.", {
    problems,
    hint: "`saga schema plan` prints the format of a plan.",
  });
