import { useState } from "react";
import { Link, useParams } from "wouter";
import { useActing } from "../acting/acting.tsx";
import { Graph } from "../graph/graph.tsx";
import { epicGraph, isSameGraph } from "../graph/input.ts";
import { useDerived, useEntity, useFeed, useHasSnapshot } from "../live/hooks.ts";
import { Button } from "../parts/button.tsx";
import { NumberField } from "../parts/field.tsx";
import { Icon } from "../parts/icon.tsx";
import { Id, Nothing, Page, Panel, Section, Tag } from "../parts/layout.tsx";
import { PullRequest } from "../parts/pull-request.tsx";
import { EpicBar } from "../parts/progress.tsx";
import { isSameSum, sumOf, type EpicSum } from "../words/epics.ts";
import { money, percent } from "../words/format.ts";
import type { EpicCard } from "../../protocol.ts";
import { StoryLine } from "./story-line.tsx";

export function EpicPage() {
  const { id = "" } = useParams();
  const epic = useEntity("epics", id);
  const hasSnapshot = useHasSnapshot();
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
      <Page title="No such epic">
        <Nothing>
          There is no epic <code className="font-mono">{id}</code>.
        </Nothing>
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
          {epic.isLegacy && <Tag>Older form, read only</Tag>}
        </p>
      }
      aside={<EpicActions epic={epic} />}
    >
      <Progress epic={epic} sum={sum} />
      <div className="grid gap-x-6 xl:grid-cols-[minmax(0,1fr)_21rem]">
        <Section title="What blocks what">
          <Graph
            graph={graph}
            label={`Stories of ${epic.title}`}
            className="h-[21rem] xl:h-[27rem]"
          />
        </Section>
        <Section title="Stories" count={epic.children.length}>
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
        <span>{money(sum.costUsd)}</span>
        <PullRequest address={epic.pr} />
      </p>
    </div>
  );
}

function EpicActions({ epic }: { epic: EpicCard }) {
  const { perform } = useActing();
  const isOffline = useFeed() !== "live";
  if (epic.isLegacy || epic.status === "completed") return null;
  return epic.isRunning ? (
    <Button disabled={isOffline} onClick={() => void perform({ act: "epic-stop", epic: epic.id })}>
      Stop the epic
    </Button>
  ) : (
    <RunEpic epic={epic.id} isOffline={isOffline} />
  );
}

/** More at once than a machine can bear: a slip of the finger. */
const MOST_AT_ONCE = 30;

function RunEpic({ epic, isOffline }: { epic: string; isOffline: boolean }) {
  const { perform } = useActing();
  const [parallel, setParallel] = useState(1);
  return (
    <form
      className="flex items-center gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        void perform({ act: "epic-run", epic, parallel });
      }}
    >
      <NumberField
        label="Stories at once"
        min={1}
        max={MOST_AT_ONCE}
        value={parallel}
        onChange={setParallel}
      />
      <Button type="submit" look="main" disabled={isOffline}>
        Run the epic
      </Button>
    </form>
  );
}
