import { useState } from "react";
import { useSearchParams } from "wouter";
import { useActions } from "../actions/action-provider.tsx";
import { NoteBox } from "../actions/forms/note-box.tsx";
import { AnswerForm } from "../actions/forms/answer-form.tsx";
import { Graph } from "../graph/graph.tsx";
import { taskGraph } from "../graph/input.ts";
import { BrokenFiles } from "../parts/broken-files.tsx";
import { Icon } from "../parts/icon.tsx";
import { Empty, Panel, Section } from "../parts/layout.tsx";
import { Segments } from "../parts/field.tsx";
import { Markdown } from "../parts/text/markdown.tsx";
import { isAtWork } from "../words/states.ts";
import { ConflictNote } from "./conflict-note.tsx";
import { Snapshots } from "./snapshots.tsx";
import { StoryBrief } from "./story-brief.tsx";
import type { TabProps } from "./story-page.tsx";
import { TaskList } from "./task-list.tsx";

const VIEWS = [
  { value: "list", label: "List", shown: <Icon name="list" className="size-3.5" /> },
  { value: "graph", label: "Graph", shown: <Icon name="graph" className="size-3.5" /> },
] as const;

export function OverviewTab({ story, detail }: TabProps) {
  if (detail.markdown !== undefined) {
    return (
      <Panel className="max-w-3xl px-5 py-4">
        <Markdown text={detail.markdown} />
      </Panel>
    );
  }
  return (
    <>
      <OpenQuestion story={story} detail={detail} />
      <ConflictNote story={story.id} />
      {isAtWork(story) && <NoteBox story={story.id} />}
      <BrokenFiles problems={detail.problems} />
      <div className="grid grid-cols-1 gap-x-8 lg:grid-cols-[minmax(0,1.65fr)_minmax(17rem,1fr)]">
        <div className="min-w-0">
          <Tasks story={story} detail={detail} />
          <Snapshots story={story} detail={detail} />
        </div>
        <StoryBrief story={story} detail={detail} />
      </div>
    </>
  );
}

function OpenQuestion({ story, detail }: TabProps) {
  const { attempt } = useActions();
  if (story.question === undefined) return null;
  // The explanation of the agent, from the journal.
  const about = detail.journal.find(
    ({ isOpen, blocker }) => isOpen && blocker === story.blocker,
  )?.body;
  return (
    <section aria-label="Open question" className="mb-7 rounded-xl bg-ask-wash px-5 py-4">
      <h2 className="text-xs font-semibold text-ask">
        {story.openQuestions > 1 ? `${story.openQuestions} open questions` : "Open question"}
      </h2>
      <p className="mt-1 mb-3 font-medium">{story.question}</p>
      {about && (
        <div className="mb-3 max-h-80 overflow-auto text-sm">
          <Markdown text={about} />
        </div>
      )}
      <AnswerForm story={story.id} perform={attempt} onDone={() => undefined} isInline />
    </section>
  );
}

function Tasks({ story, detail }: TabProps) {
  const [view, setView] = useState<"list" | "graph">("list");
  const [parameters, setParameters] = useSearchParams();
  const chosen = parameters.get("task");
  const done = story.tasks.filter(({ status }) => status === "completed").length;
  const choose = (task: string): void => {
    setView("list");
    setParameters({ task }, { replace: true });
  };
  return (
    <Section
      title={`Tasks, ${done} of ${story.tasks.length} completed`}
      aside={
        <Segments
          label="Show tasks as"
          value={view}
          segments={VIEWS}
          className="w-9 text-faint"
          onChange={setView}
        />
      }
    >
      {story.tasks.length === 0 ? (
        <Empty>No tasks: the story runs as one task, from its description.</Empty>
      ) : view === "list" ? (
        <TaskList story={story} detail={detail} chosen={chosen} />
      ) : (
        <Graph graph={taskGraph(story)} label={`Tasks of ${story.title}`} onChoose={choose} />
      )}
    </Section>
  );
}
