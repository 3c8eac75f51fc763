// `saga show <epic>`: an epic with the state of its stories.

import type { Context } from "../../../context.ts";
import { nothingCalled } from "../../edit/definition-name.ts";
import { SagaError } from "../../../errors.ts";
import { attentionTo } from "../../../store/views/attention.ts";
import type { Store } from "../../../store/store.ts";
import { count } from "../../../text/plural.ts";
import type { Epic } from "../../../story/definition/epic.ts";
import { shownWord } from "../../../story/state/attention.ts";
import type { CommandResult } from "../../program/command.ts";
import { unfinishedIn, unfinishedLine } from "../../output/unfinished-line.ts";
import {
  facts,
  section,
  plain,
  STATE_WIDTH,
  stateMark,
  stateName,
  type Paint,
} from "../../output/terminal.ts";
import { weakenedIn } from "../../output/merge-status.ts";
import { storyJson } from "../../output/story-json.ts";
import { pullRequestName } from "../../../text/pull-request-name.ts";

export async function showEpic(
  { store, env }: Pick<Context, "store" | "env">,
  id: string,
): Promise<CommandResult> {
  const { epic } = await store.readEpic(id).catch((error: unknown) => {
    if (!(error instanceof SagaError) || error.code !== "not-found") throw error;
    throw nothingCalled(id);
  });
  const overview = await store.overview();
  const status = overview.epics.get(id)?.status ?? epic.status;
  const views = epic.children.flatMap((child) => overview.stories.get(child.id) ?? []);
  const weakened = await weakenedIn({ store, env }, views);
  return {
    json: {
      ...epic,
      status,
      stories: views.map((view) => storyJson(view, weakened.get(view.record.id))),
      inFlight: unfinishedIn(views),
    },
    text: (paint) =>
      [
        `${paint("bold", plain(epic.title))}  ${status.replace("_", " ")}`,
        ...facts(
          [
            ["Epic", epic.id],
            ["Delivery", epic.delivery],
            ["Branch", epic.branch],
            ["Pull request", epic.pr && pullRequestName(epic.pr)],
          ],
          paint,
        ),
        ...section("Description", epic.description, paint),
        "",
        paint("bold", count(epic.children.length, "story", "stories")),
        ...childRows(epic, overview, paint),
        ...unfinishedLine(views, paint).flatMap((line) => ["", line]),
        "",
      ].join("\n"),
  };
}

function childRows(
  epic: Epic,
  overview: Awaited<ReturnType<Store["overview"]>>,
  paint: Paint,
): string[] {
  const width = Math.max(...epic.children.map((child) => child.id.length));
  return epic.children.map(({ id, blockedBy }) => {
    const view = overview.stories.get(id);
    const state = overview.archived.has(id) ? "completed" : view?.state;
    const kind = view && attentionTo(view)?.kind;
    const name = state
      ? stateName(state, paint, STATE_WIDTH, shownWord(state, kind))
      : paint("red", "not found".padEnd(STATE_WIDTH));
    const after = blockedBy.length > 0 ? paint("dim", `  (after ${blockedBy.join(", ")})`) : "";
    const mark = state ? stateMark(state, paint) : paint("red", "?");
    return `  ${mark} ${id.padEnd(width)}  ${name}  ${plain(view?.record.story.title ?? "")}${after}`.trimEnd();
  });
}
