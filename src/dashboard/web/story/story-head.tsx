import { Link } from "wouter";
import { StoryActions } from "../actions/story-actions.tsx";
import { useEntity, useStoryDetail } from "../live/hooks.ts";
import type { StoryCard } from "../../protocol/messages.ts";
import { CopyButton } from "../parts/copy.tsx";
import { Icon } from "../parts/icon.tsx";
import { Id, Tag } from "../parts/layout.tsx";
import { PullRequest } from "../parts/pull-request.tsx";
import { Sentence } from "../parts/text/sentence.tsx";
import { StateBadge } from "../parts/state-mark.tsx";
import { Ago, Elapsed } from "../parts/time.tsx";
import { plainText } from "../log/plain-text.ts";
import { money } from "../words/format.ts";
import { isAtWork } from "../words/states.ts";
import { storyLook } from "../words/story-look.ts";

export function StoryAbove({ story }: { story: StoryCard }) {
  const epic = useEntity("epics", story.epic ?? "");
  return (
    <div className="mb-1 flex flex-wrap items-center gap-1.5 text-xs text-faint">
      {epic && (
        <>
          <Link href={`/epic/${epic.id}`} className="hover:text-ink">
            {epic.title}
          </Link>
          <Icon name="chevron" className="size-3" />
        </>
      )}
      <Id>{story.id}</Id>
      <CopyButton text={story.id} what="the story's id" />
      {story.isLegacy && <Tag>Old format, read-only</Tag>}
      {story.isArchived && <Tag>Archived</Tag>}
      {story.labels.map((label) => (
        <Tag key={label}>{label}</Tag>
      ))}
    </div>
  );
}

export function StoryAside({ story }: { story: StoryCard }) {
  return (
    <div className="flex flex-wrap items-center gap-3">
      <StateBadge look={storyLook(story)} />
      <StoryActions story={story} />
    </div>
  );
}

/** Who approved the current code. The card only knows that a person did. */
function Approval({ story }: { story: StoryCard }) {
  const accepted = useStoryDetail(story.id).value?.accepted;
  const at = accepted?.at ?? story.acceptedAt;
  if (story.state !== "review" || at === undefined) return null;
  return (
    <span className="text-good">
      {accepted?.how ?? "accepted"} <Ago at={at} />
    </span>
  );
}

/** Branch, pull request, duration and cost in one line. */
export function StoryFacts({ story }: { story: StoryCard }) {
  const { run, branch, pr, costUsd, costIsEstimate, waitsFor, reason } = story;
  return (
    <div className="-mt-3 mb-5">
      <div className="flex flex-wrap items-center gap-x-5 gap-y-1 text-sm text-soft">
        {branch !== undefined && (
          <span className="inline-flex items-center gap-1.5">
            <Icon name="branch" className="size-3.5 text-faint" />
            <span className="font-mono text-xs">{branch}</span>
          </span>
        )}
        <PullRequest address={pr} />
        {run && isAtWork(story) && (
          <span>
            running for <Elapsed from={run.startedAt} />
          </span>
        )}
        <span className="figure">{money(costUsd, costIsEstimate)}</span>
        <Approval story={story} />
        {waitsFor.length > 0 && (
          <span>
            waits for{" "}
            {waitsFor.map((id, at) => (
              <span key={id}>
                {at > 0 && ", "}
                <Link
                  href={`/story/${id}`}
                  className="font-mono text-xs text-accent hover:underline"
                >
                  {id}
                </Link>
              </span>
            ))}
          </span>
        )}
      </div>
      {run?.lastAction && isAtWork(story) && (
        <p className="mt-1.5 truncate font-mono text-xs text-faint">
          {plainText(run.lastAction.text)}
        </p>
      )}
      {reason !== undefined && !isAtWork(story) && (
        <p className="mt-1.5 text-sm text-soft">
          <Sentence text={reason} />
        </p>
      )}
    </div>
  );
}
