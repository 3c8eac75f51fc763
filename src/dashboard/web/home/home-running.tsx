import { Link } from "wouter";
import { StoryActions } from "../actions/story-actions.tsx";
import { isSameList, useDerived, useEntity } from "../live/hooks.ts";
import { Id, Panel, Section } from "../parts/layout.tsx";
import { TaskBar } from "../parts/progress.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import { Elapsed } from "../parts/time.tsx";
import { plainText } from "../log/plain-text.ts";
import { count, money } from "../words/format.ts";
import { isAtWork, isIn } from "../words/states.ts";
import { storyLook } from "../words/story-look.ts";
import { busyWorkers, PoolWorkerRow } from "./home-pool.tsx";
import { StoryLine } from "../pages/story-line.tsx";

export function RunningNow() {
  const ids = useDerived(
    ({ stories }) =>
      Object.values(stories)
        .filter((story) => isAtWork(story) && !isIn("landing")(story))
        .map(({ id }) => id),
    isSameList,
  );
  const workers = useDerived(
    ({ pool }) => busyWorkers(pool),
    (one, other) => JSON.stringify(one) === JSON.stringify(other),
  );
  const total = ids.length + workers.length;
  if (total === 0) return null;
  return (
    <Section title="Running now" count={total}>
      <Panel className="divide-y divide-line">
        {ids.map((id) => (
          <RunningRow key={id} id={id} />
        ))}
        {workers.map((one) => (
          <PoolWorkerRow key={`${one.worker.instance} ${one.worker.name}`} {...one} />
        ))}
      </Panel>
    </Section>
  );
}

/** Stories that are being merged now. */
export function Landing() {
  const ids = useDerived(
    ({ stories }) =>
      Object.values(stories)
        .filter(isIn("landing"))
        .map(({ id }) => id),
    isSameList,
  );
  if (ids.length === 0) return null;
  return (
    <Section
      title="Landing"
      count={ids.length}
      aside={
        <Link href="/landing" className="text-xs text-soft hover:text-ink">
          What waits, and why
        </Link>
      }
    >
      <Panel className="@container divide-y divide-line overflow-hidden">
        {ids.map((id) => (
          <StoryLine key={id} id={id} />
        ))}
      </Panel>
    </Section>
  );
}

function RunningRow({ id }: { id: string }) {
  const story = useEntity("stories", id);
  if (story === undefined) return null;
  const done = story.tasks.filter(({ status }) => status === "completed").length;
  return (
    <article
      aria-label={story.title}
      className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-4 gap-y-2 px-4 py-3 md:grid-cols-[auto_minmax(0,1fr)_9rem_7.5rem_auto] md:px-5"
    >
      <StateMark look={storyLook(story)} className="size-[1.1rem]" />
      <div className="min-w-0">
        <div className="flex items-baseline gap-x-2.5">
          <Link
            href={`/story/${id}/log`}
            data-row=""
            className="truncate font-medium hover:text-accent"
          >
            {story.title}
          </Link>
          <Id className="hidden truncate lg:inline">{id}</Id>
        </div>
        <p className="truncate font-mono text-xs leading-5 text-soft">
          {plainText(story.run?.lastAction?.text ?? "Starting…")}
        </p>
      </div>
      <div className="hidden md:block">
        <TaskBar story={story} />
        <p className="figure mt-1 text-xs text-faint">
          {done} of {count(story.tasks.length, "task")}
        </p>
      </div>
      <div className="hidden text-right text-xs md:block">
        <p className="figure text-soft">{story.run && <Elapsed from={story.run.startedAt} />}</p>
        <p className="figure text-faint">
          {money(story.run?.costUsd ?? 0, story.run?.costIsEstimate)}
        </p>
      </div>
      <StoryActions story={story} />
    </article>
  );
}
