import { Link } from "wouter";
import { useEntity } from "../live/hooks.ts";
import { Id, Tag } from "../parts/layout.tsx";
import { TaskBar } from "../parts/progress.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import { count, money } from "../words/format.ts";
import { MISSING_LOOK } from "../words/states.ts";
import { storyLook } from "../words/story-look.ts";

/** One story in a list. The whole line is a link. */
export function StoryLine({ id }: { id: string }) {
  const story = useEntity("stories", id);
  if (story === undefined) return <MissingLine id={id} />;
  const done = story.tasks.filter(({ status }) => status === "completed").length;
  const look = storyLook(story);
  return (
    <Link
      href={`/story/${id}`}
      data-row=""
      className="grid h-full grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-4 px-4 py-2 -outline-offset-2 hover:bg-hover @2xl:grid-cols-[auto_minmax(0,1fr)_6.5rem_8rem_4rem] @2xl:px-5"
    >
      <StateMark look={look} />
      <span className="min-w-0">
        <span className="flex items-center gap-2">
          <span className="truncate text-[0.9333rem] font-medium">{story.title}</span>
          {story.isLegacy && <Tag>Old format</Tag>}
          {story.isArchived && <Tag>Archived</Tag>}
        </span>
        <span className="flex gap-x-2 text-xs">
          {/* On narrow screens, which have no column for it. */}
          <span className="shrink-0 text-soft @2xl:hidden" aria-hidden="true">
            {look.word}
          </span>
          <Id className="truncate">{id}</Id>
        </span>
      </span>
      <span className="hidden text-xs text-soft @2xl:block" aria-hidden="true">
        {look.word}
      </span>
      <span className="hidden @2xl:block">
        {story.tasks.length > 0 && <TaskBar story={story} />}
        <span className="figure mt-1 block text-xs text-faint">
          {story.tasks.length === 0
            ? "No tasks"
            : `${done} of ${count(story.tasks.length, "task")}`}
        </span>
      </span>
      <span className="figure text-right text-xs text-faint">
        {money(story.costUsd, story.costIsEstimate)}
      </span>
    </Link>
  );
}

/** Listed by its epic, but missing or invalid. Its page shows why. */
function MissingLine({ id }: { id: string }) {
  return (
    <Link
      href={`/story/${id}`}
      data-row=""
      className="flex h-full items-center gap-x-4 px-4 py-2 -outline-offset-2 hover:bg-hover @2xl:px-5"
    >
      <StateMark look={MISSING_LOOK} />
      <span className="min-w-0">
        <span className="block text-sm text-soft" aria-hidden="true">
          {MISSING_LOOK.word}
        </span>
        <Id className="block truncate">{id}</Id>
      </span>
    </Link>
  );
}
