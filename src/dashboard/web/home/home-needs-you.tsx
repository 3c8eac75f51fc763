import { Link } from "wouter";
import { useActions } from "../actions/action-provider.tsx";
import { AnswerForm } from "../actions/forms/answer-form.tsx";
import { releaseLabel, releaseTask } from "../actions/questions.ts";
import { StoryActions } from "../actions/story-actions.tsx";
import { attentionOfEpic } from "../../../story/state/attention.ts";
import { attentionOfPoolTask } from "../../../story/state/task-attention.ts";
import { isSameList, useDerived, useEntity } from "../live/hooks.ts";
import type { PoolTaskCard, StoryCard } from "../../protocol/messages.ts";
import { Button } from "../parts/button.tsx";
import { Panel, Section } from "../parts/layout.tsx";
import { Sentence } from "../parts/text/sentence.tsx";
import { HomeRow, StoryHomeRow } from "./home-row.tsx";
import { Ago } from "../parts/time.tsx";
import { RiskBadge } from "../review/risk-badge.tsx";
import { byUrgency, needsYou, POOL_LOOKS, STORY_LOOKS } from "../words/states.ts";
import { MoreStories, MoreTasks } from "./more.tsx";

/** The rest is on the Stories and Pool pages. */
const MAX_SHOWN = 12;

export function NeedsYou() {
  const ids = useDerived(
    ({ stories }) =>
      Object.values(stories)
        .filter(needsYou)
        .toSorted(byUrgency)
        .map(({ id }) => id),
    isSameList,
  );
  const tasks = useDerived(
    ({ pool }) =>
      Object.values(pool).flatMap((list) =>
        list.tasks.filter((task) => attentionOfPoolTask(task) !== undefined),
      ),
    isSameList,
  );
  const epics = useDerived(
    ({ epics }) => Object.values(epics).flatMap(({ id, awaitsMerge }) => (awaitsMerge ? [id] : [])),
    isSameList,
  );
  const total = ids.length + tasks.length + epics.length;
  if (total === 0) return null;
  return (
    <Section title="Needs you" count={total}>
      <Panel className="divide-y divide-line">
        {ids.slice(0, MAX_SHOWN).map((id) => (
          <StoryRow key={id} id={id} />
        ))}
        <MoreStories hidden={ids.length - MAX_SHOWN} href="/stories?state=needs-you" />
        {epics.map((id) => (
          <EpicRow key={id} id={id} />
        ))}
        {tasks.slice(0, MAX_SHOWN).map((task) => (
          <TaskRow key={task.id} task={task} />
        ))}
        <MoreTasks hidden={tasks.length - MAX_SHOWN} href="/pool" />
      </Panel>
    </Section>
  );
}

function StoryRow({ id }: { id: string }) {
  const story = useEntity("stories", id);
  const { attempt } = useActions();
  if (story === undefined) return null;
  const isQuestion = story.state === "blocked" && story.question !== undefined;
  return (
    <StoryHomeRow
      story={story}
      about={
        <>
          {reasonOf(story)}
          {story.risk && story.risk.level !== "low" && (
            <div className="mt-1">
              <RiskBadge risk={story.risk} />
            </div>
          )}
        </>
      }
      aside={
        <>
          {story.run && <RowLinks id={id} />}
          <StoryActions story={story} most={2} without={isQuestion ? ["answer"] : []} />
        </>
      }
    >
      {isQuestion && (
        <div className="mt-2.5 ml-8 max-w-2xl">
          <AnswerForm story={id} perform={attempt} onDone={() => undefined} isInline />
        </div>
      )}
    </StoryHomeRow>
  );
}

/** What to look at before deciding. */
function RowLinks({ id }: { id: string }) {
  return (["diff", "log"] as const).map((tab) => (
    <Link
      key={tab}
      href={`/story/${id}/${tab}`}
      className="rounded-lg px-2 py-1.5 text-[0.8667rem] font-medium text-soft capitalize hover:bg-hover hover:text-ink"
    >
      {tab}
    </Link>
  ));
}

function reasonOf(story: StoryCard) {
  const endedAt = story.run?.endedAt;
  switch (story.state) {
    case "blocked":
    case "review":
    case "stalled":
      return <Sentence text={story.attention?.text ?? ""} />;
    default:
      return (
        <>
          <Sentence text={story.attention?.text ?? ""} />{" "}
          {endedAt !== undefined && (
            <span className="text-faint">
              <Ago at={endedAt} />
            </span>
          )}
        </>
      );
  }
}

/** An epic whose branch is ready to merge. The button is on its page. */
function EpicRow({ id }: { id: string }) {
  const epic = useEntity("epics", id);
  const attention = attentionOfEpic({ id, awaitsMerge: epic?.awaitsMerge ?? false });
  if (epic === undefined || attention === undefined) return null;
  return (
    <HomeRow
      look={STORY_LOOKS.review}
      href={`/epic/${id}`}
      title={epic.title}
      id={`epic ${id}`}
      about={attention.text}
    />
  );
}

function TaskRow({ task }: { task: PoolTaskCard }) {
  const { ask } = useActions();
  return (
    <HomeRow
      look={POOL_LOOKS[task.state]}
      href={`/pool?task=${encodeURIComponent(task.id)}`}
      title={task.subject}
      id={`pool task ${task.id}`}
      about={task.why}
      aside={
        task.state === "needs-you" && (
          <Button onClick={() => ask(releaseTask(task))}>{releaseLabel(task)}</Button>
        )
      }
    />
  );
}
