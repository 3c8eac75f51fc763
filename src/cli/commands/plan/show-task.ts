// `saga show <story>/<task>`: one task of a story.

import { SagaError } from "../../../errors.ts";
import type { StoryView } from "../../../store/views/overview.ts";
import type { StoryRecord } from "../../../store/project/read.ts";
import { taskStates } from "../../../story/state/state.ts";
import type { CommandResult } from "../../program/command.ts";
import { facts, section, plain, stateMark, stateName } from "../../output/terminal.ts";

export function showTask(view: StoryView<StoryRecord>, taskId: string): CommandResult {
  const task = view.record.tasks.find((one) => one.id === taskId);
  if (!task) {
    throw new SagaError("not-found", `The story ${view.record.id} has no task ${taskId}.`, {
      hint: `Its tasks: ${view.record.tasks.map((one) => one.id).join(", ") || "none yet"}.`,
    });
  }
  const state = taskStates(view.record.tasks, view.state).get(taskId) ?? "ready";
  return {
    json: { ...task, state, story: view.record.id },
    text: (paint) =>
      [
        `${stateMark(state, paint)} ${paint("bold", plain(task.subject))}  ${stateName(state, paint)}`,
        ...facts(
          [
            ["Task", task.id],
            ["Story", view.record.id],
            ["After", task.blockedBy.join(", ")],
            ["Lines", task.estimatedLines?.toString()],
          ],
          paint,
        ),
        ...section("Description", task.description, paint),
        ...section("Guidance", task.guidance, paint),
        ...section("Done when", task.doneWhen, paint),
        ...section("Checks", task.checks.join("\n"), paint),
        ...section("Writes", task.writeFiles?.join("\n"), paint),
        "",
      ].join("\n"),
  };
}
