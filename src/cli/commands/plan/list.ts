import { notFound } from "../../../store/project/require.ts";
import { attentionTo } from "../../../store/views/attention.ts";
import type { StoryView, EpicView, Overview } from "../../../store/views/overview.ts";
import { count } from "../../../text/plural.ts";
import { inOrder } from "../../../story/definition/graph.ts";
import { truncate } from "../../../text/one-line.ts";
import {
  SHOWN_KINDS,
  shownState,
  shownWord,
  type AttentionKind,
  type ShownState,
} from "../../../story/state/attention.ts";
import { STORY_STATES } from "../../../story/state/state.ts";
import type { Build } from "../../program/command.ts";
import { unfinishedIn, unfinishedLine } from "../../output/unfinished-line.ts";
import { listOption } from "../../program/list-option.ts";
import { weakenedIn } from "../../output/merge-status.ts";
import { unreadableLines } from "../../output/unreadable-files.ts";
import { plain, STATE_WIDTH, stateMark, stateName, type Paint } from "../../output/terminal.ts";
import { readReviews, reviewLines } from "../../output/review-list.ts";
import { storyJson } from "../../output/story-json.ts";
import { killedIn, notifyOfKilled } from "../../watch/notify.ts";

interface ListOptions {
  readonly epic?: string;
  readonly json?: boolean;
  readonly review?: boolean;
  readonly state?: ShownState[];
}

export const build: Build = (builder) =>
  builder.action(
    builder
      .command("list", "List epics and stories with their state.", [
        "saga list",
        "saga list --state blocked failed review     stories that need you",
        "saga list --review                         stories that wait for review, riskiest first",
        "saga list --epic user-auth --json",
      ])
      .option("--review", "only stories that wait for review, riskiest first, with the reasons")
      .option("--epic <id>", "only the stories of this epic")
      .addOption(
        listOption("--state <states...>", "only stories in these states", [
          ...STORY_STATES,
          ...SHOWN_KINDS,
        ]),
      ),
    async ({ io, openProject }, _, options: ListOptions) => {
      const store = openProject();
      const overview = await store.overview();
      if (options.epic !== undefined && !overview.epics.has(options.epic)) {
        throw notFound("epic", options.epic);
      }
      const stories = [...overview.stories.values()].filter(
        (view) =>
          (options.epic === undefined || view.epicId === options.epic) &&
          (options.state === undefined || hasState(view, options.state)),
      );
      if (options.review) {
        const reviews = await readReviews({ store, env: io.env }, stories);
        return {
          json: { reviews },
          text: (paint) => `${reviewLines(reviews, paint).join("\n")}\n`,
        };
      }
      const epics = [...overview.epics.values()].filter(
        ({ epic }) => options.epic === undefined || epic.id === options.epic,
      );
      await notifyOfKilled({ io, store }, killedIn(overview.stories.values()));
      const weakened = options.json ? await weakenedIn({ store, env: io.env }, stories) : undefined;
      return {
        json: {
          epics: epics.map(({ epic, status }) => ({
            id: epic.id,
            title: epic.title,
            status,
            stories: epic.children.map((child) => child.id),
          })),
          stories: stories.map((view) => storyJson(view, weakened?.get(view.record.id))),
          inFlight: unfinishedIn(overview.stories.values()),
          problems: overview.problems,
        },
        text: (paint) =>
          render(
            { epics, stories, overview, isPart: isFiltered(options), columns: io.columns },
            paint,
          ),
      };
    },
  );

interface Listed {
  readonly epics: readonly EpicView[];
  readonly stories: readonly StoryView[];
  readonly overview: Overview;
  readonly isPart: boolean;
  /** The terminal's width. */
  readonly columns: number | undefined;
}

const kindOf = (view: StoryView): AttentionKind | undefined => attentionTo(view)?.kind;

const hasState = (view: StoryView, wanted: NonNullable<ListOptions["state"]>): boolean =>
  wanted.includes(view.state) || wanted.includes(shownState(view.state, kindOf(view)));

const isFiltered = ({ state, epic }: ListOptions): boolean =>
  state !== undefined || epic !== undefined;

function render(listed: Listed, paint: Paint): string {
  const { epics, stories, overview } = listed;
  const loose = stories.filter(
    (view) => view.epicId === undefined || !overview.epics.has(view.epicId),
  );
  const groups = [
    ...epics.map((epic) => renderEpic(epic, listed, paint)),
    ...(loose.length === 0
      ? []
      : [
          [
            ...(epics.length > 0 ? [paint("bold", "Stories without an epic")] : []),
            ...rows(loose, listed.columns, paint),
          ],
        ]),
  ].filter((group) => group.length > 0);
  const isEmpty = groups.length === 0;
  const empty = listed.isPart
    ? ["No stories match."]
    : ["No stories yet.", 'Create one: saga new story add-login --description "…"'];
  const left = unfinishedLine(overview.stories.values(), paint);
  const parts = isEmpty && overview.problems.length === 0 ? [empty] : groups;
  return `${[...parts, legacyLines(overview), unreadableLines(overview, paint), left]
    .filter((part) => part.length > 0)
    .map((part) => part.join("\n"))
    .join("\n\n")}\n`;
}

function renderEpic(
  { epic, status }: EpicView,
  { stories, overview, isPart, columns }: Listed,
  paint: Paint,
): string[] {
  const views = new Map(
    stories.filter((view) => view.epicId === epic.id).map((view) => [view.record.id, view]),
  );
  if (isPart && views.size === 0) return [];
  const isDone = (id: string): boolean =>
    overview.archived.has(id) || overview.stories.get(id)?.state === "completed";
  const done = epic.children.filter((child) => isDone(child.id)).length;
  const archived = epic.children.filter((child) => overview.archived.has(child.id)).length;
  const progress = [
    `${done}/${count(epic.children.length, "story", "stories")}`,
    ...(archived === 0 ? [] : [`${archived} archived`]),
  ].join(", ");
  const ordered = inOrder(epic.children.map((child) => ({ ...child, isDone: isDone(child.id) })));
  const known = ordered.flatMap(({ id }) => views.get(id) ?? []);
  return [
    `${paint("bold", epic.id)}  ${plain(epic.title)}  ${paint("dim", `${status.replace("_", " ")}, ${progress}`)}`,
    ...rows(
      [...known, ...[...views.values()].filter((view) => !known.includes(view))],
      columns,
      paint,
    ),
  ];
}

function rows(views: readonly StoryView[], columns: number | undefined, paint: Paint): string[] {
  const width = Math.max(0, ...views.map((view) => view.record.id.length));
  const before = `  ? ${" ".repeat(width)}  interrupted  99/99  `.length;
  return views.map((view) => {
    const { record, state } = view;
    const done = record.tasks.filter((task) => task.status === "completed").length;
    const { title, note } = fitted(view, columns === undefined ? undefined : columns - before);
    return [
      `  ${stateMark(state, paint)} ${record.id.padEnd(width)}`,
      stateName(state, paint, STATE_WIDTH, shownWord(state, kindOf(view))),
      `${done}/${record.tasks.length}`.padStart(5),
      `${title}${note === "" ? "" : paint("dim", note)}`,
    ].join("  ");
  });
}

/** Shortens the title so that the note fits, down to a minimum. */
function fitted(view: StoryView, room: number | undefined): { title: string; note: string } {
  const title = plain(view.record.story.title);
  const words = noteOn(view);
  const note = words === undefined ? "" : `  (${words})`;
  if (room === undefined) return { title, note };
  const short = truncate(title, Math.max(MIN_TITLE_WIDTH, room - note.length));
  const left = Math.max(0, room - short.length);
  // A note that does not fit is dropped, not cut.
  return { title: short, note: note.length <= left ? note : "" };
}

const MIN_TITLE_WIDTH = 12;

function noteOn({ state, waitsFor, openBlockers, isWorktreeGone }: StoryView): string | undefined {
  if (state === "waiting") return `after ${waitsFor.join(", ")}`;
  if (state === "blocked") return truncate(plain(openBlockers[0]?.title ?? ""), MAX_NOTE_WIDTH);
  // The row's tasks are then counted in an older copy of the story.
  return state === "unfinished" && isWorktreeGone ? "worktree missing, branch exists" : undefined;
}

function legacyLines({ legacy }: Overview): string[] {
  return legacy.length === 0
    ? []
    : [`Not shown, because they are in the old markdown format: ${legacy.join(", ")}.`];
}

const MAX_NOTE_WIDTH = 60;
