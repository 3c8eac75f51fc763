import { Link } from "wouter";
import type { StoryCard } from "../../protocol/messages.ts";
import { StoryActions } from "../actions/story-actions.tsx";
import { useEntity } from "../live/hooks.ts";
import { plainText } from "../log/plain-text.ts";
import { Tag } from "../parts/layout.tsx";
import { TaskBar } from "../parts/progress.tsx";
import { RiskBadge } from "../review/risk-badge.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import { Sentence } from "../parts/text/sentence.tsx";
import { Elapsed } from "../parts/time.tsx";
import { money } from "../words/format.ts";
import { isAtWork } from "../words/states.ts";
import { storyLook } from "../words/story-look.ts";

export function BoardCard({ id }: { id: string }) {
  const story = useEntity("stories", id);
  if (story === undefined) return null;
  const done = story.tasks.filter(({ status }) => status === "completed").length;
  const about = aboutOf(story);
  return (
    <article
      aria-label={story.title}
      className="rounded-lg border border-line bg-surface p-3 shadow-card focus-within:border-edge"
    >
      <div className="flex items-start gap-2">
        <StateMark look={storyLook(story)} className="mt-[3px] size-3.5" />
        <Link
          href={`/story/${id}`}
          data-row=""
          data-card=""
          title={id}
          className="min-w-0 flex-1 text-[0.8667rem] leading-snug font-medium hover:text-accent"
        >
          {story.title}
        </Link>
      </div>
      {about !== undefined && (
        <p className="mt-1.5 line-clamp-3 text-xs text-soft">
          <Sentence text={about} />
        </p>
      )}
      {story.risk && (
        <div className="mt-2">
          <RiskBadge risk={story.risk} />
        </div>
      )}
      {story.tasks.length > 0 && story.state !== "completed" && (
        <div className="mt-2.5">
          <TaskBar story={story} />
        </div>
      )}
      <div className="mt-2 flex flex-wrap items-end justify-between gap-x-2 gap-y-2">
        <p className="flex min-h-7 flex-wrap items-center gap-x-2 gap-y-1 text-xs text-faint">
          {story.priority !== undefined && (
            <span className="figure" title={`Priority ${story.priority}`}>
              P{story.priority}
            </span>
          )}
          {story.tasks.length > 0 && (
            <span className="figure">
              {done}/{story.tasks.length}
            </span>
          )}
          {isAtWork(story) && story.run && <Elapsed from={story.run.startedAt} />}
          {story.costUsd > 0 && (
            <span className="figure">{money(story.costUsd, story.costIsEstimate)}</span>
          )}
          {story.labels.map((label) => (
            <Tag key={label}>{label}</Tag>
          ))}
        </p>
        <div className="ml-auto [&_button]:h-7 [&_button]:text-xs">
          <StoryActions story={story} most={1} />
        </div>
      </div>
    </article>
  );
}

/** What a person needs to know to act. */
function aboutOf(story: StoryCard): string | undefined {
  const { state, attention, waitsFor, run } = story;
  if (state === "waiting") return `Waits for ${waitsFor.join(", ")}`;
  switch (attention?.section) {
    case "running":
      return plainText(run?.lastAction?.text ?? "Starting…");
    case "needs-you":
      return attention.kind === "review" ? undefined : attention.text;
    case "continue":
      return attention.text;
    default:
      return undefined;
  }
}
