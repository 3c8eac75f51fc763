import { useState } from "react";
import { Link, useParams } from "wouter";
import { ActButton } from "../actions/act-button.tsx";
import { useActions } from "../actions/action-provider.tsx";
import { RunEpicForm } from "../actions/forms/run-epic-form.tsx";
import { removeEpic } from "../actions/questions.ts";
import { NewButton } from "../define/new-button.tsx";
import { Graph } from "../graph/graph.tsx";
import { epicGraph, isSameGraph } from "../graph/input.ts";
import { useDerived, useEntity, useIsOffline, useHasSnapshot } from "../live/hooks.ts";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { Id, Empty, Page, Panel, Section, Tag } from "../parts/layout.tsx";
import { EpicConflicts } from "../landing/conflict-matrix.tsx";
import { Legend, storyEntries } from "../parts/legend.tsx";
import { Markdown } from "../parts/text/markdown.tsx";
import { PullRequest } from "../parts/pull-request.tsx";
import { EpicBar } from "../parts/progress.tsx";
import { isSameSum, sumOf, type EpicSum } from "../words/epics.ts";
import { money, percent } from "../words/format.ts";
import type { EpicCard } from "../../protocol/messages.ts";
import { StoryLine } from "./story-line.tsx";

export function EpicPage() {
  const { id = "" } = useParams();
  const epic = useEntity("epics", id);
  const hasSnapshot = useHasSnapshot();
  const [{ isLegible }, setGraphSize] = useState({ isLegible: true });
  const graph = useDerived((entities) => {
    const card = entities.epics[id];
    return card && epicGraph(card, entities);
  }, isSameGraph);
  const sum = useDerived(
    (entities) => {
      const card = entities.epics[id];
      return card && sumOf(card, entities);
    },
    (one, other) => one === other || (!!one && !!other && isSameSum(one, other)),
  );
  if (!hasSnapshot) return null;
  if (epic === undefined || graph === undefined || sum === undefined) {
    return (
      <Page title="Epic not found">
        <Empty>
          No epic has the id <code className="font-mono">{id}</code>.{" "}
          <Link href="/" className="underline">
            All epics
          </Link>
        </Empty>
      </Page>
    );
  }
  return (
    <Page
      title={epic.title}
      above={
        <p className="mb-1 flex items-center gap-1.5 text-xs text-faint">
          <Link href="/" className="hover:text-ink">
            Epics
          </Link>
          <Icon name="chevron" className="size-3" />
          <Id>{id}</Id>
          {epic.isLegacy && <Tag>Old format, read-only</Tag>}
        </p>
      }
      aside={
        <div className="flex flex-wrap items-end gap-2">
          <EditEpic epic={epic} />
          <EpicActions epic={epic} />
        </div>
      }
    >
      {epic.description !== undefined && epic.description !== "" && (
        <section aria-label="About" className="-mt-2 mb-6 max-w-3xl text-soft">
          <Markdown text={epic.description} />
        </section>
      )}
      <Progress epic={epic} sum={sum} />
      <EpicConflicts stories={epic.children.map(({ id: story }) => story)} />
      <div
        className={`grid grid-cols-1 gap-x-6 ${isLegible ? "xl:grid-cols-[minmax(0,1fr)_21rem]" : ""}`}
      >
        {/* Below the list on a phone, where most graphs do not fit, and if the graph is too large to read as a whole. */}
        <div className={`min-w-0 ${isLegible ? "max-md:order-last" : "order-last"}`}>
          <Section title="Dependencies">
            <Graph
              key={id}
              graph={graph}
              label={`Stories of ${epic.title}`}
              className="h-[21rem] xl:h-[27rem]"
              onMeasured={setGraphSize}
            />
          </Section>
        </div>
        <Section
          title="Stories"
          count={epic.children.length}
          aside={!epic.isLegacy && <NewButton kind="story" of={id} />}
        >
          <Panel className="@container divide-y divide-line overflow-hidden">
            {epic.children.map((child) => (
              <StoryLine key={child.id} id={child.id} />
            ))}
          </Panel>
        </Section>
      </div>
    </Page>
  );
}

function Progress({ epic, sum }: { epic: EpicCard; sum: EpicSum }) {
  return (
    <div className="mb-8 max-w-2xl">
      <EpicBar sum={sum} />
      <p className="figure mt-2 flex flex-wrap gap-x-5 text-sm text-soft">
        <span>{percent(sum.done, sum.total)}%</span>
        <span>
          {sum.done} of {sum.total} stories
        </span>
        <span>{money(sum.costUsd, sum.costIsEstimate)}</span>
        <PullRequest address={epic.pr} />
      </p>
      <Legend entries={storyEntries(sum.tones)} className="mt-2" />
    </div>
  );
}

function EditEpic({ epic }: { epic: EpicCard }) {
  const { ask } = useActions();
  const isOffline = useIsOffline();
  if (epic.isLegacy) return null;
  return (
    <>
      <Button
        disabled={isOffline}
        onClick={() => ask({ about: "change", kind: "epic", id: epic.id })}
      >
        Edit…
      </Button>
      {!epic.isRunning && (
        <Button look="danger" disabled={isOffline} onClick={() => ask(removeEpic(epic))}>
          Remove…
        </Button>
      )}
    </>
  );
}

function EpicActions({ epic }: { epic: EpicCard }) {
  const { attempt } = useActions();
  if (epic.awaitsMerge) {
    return (
      <ActButton look="main" act={{ act: "epic-merge", epic: epic.id }}>
        Merge the epic
      </ActButton>
    );
  }
  if (epic.isLegacy || epic.status === "completed") return null;
  return epic.isRunning ? (
    <ActButton act={{ act: "epic-stop", epic: epic.id }}>Stop the epic</ActButton>
  ) : (
    <RunEpicForm epic={epic.id} perform={attempt} onDone={() => undefined} isInline />
  );
}
