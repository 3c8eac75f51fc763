import { isSameList, useDerived, useEntity, useHasSnapshot } from "../live/hooks.ts";
import type { FleetCard, FleetMachineCard } from "../../protocol/fleet.ts";
import type { Entities } from "../../protocol/messages.ts";
import { Empty, Page, Panel, Section, Tag } from "../parts/layout.tsx";
import { Ago } from "../parts/time.tsx";
import { FleetStory } from "./fleet-story.tsx";
import { money } from "../words/format.ts";
import { laneWord, machineWord, openStories, slotsText } from "./words.ts";

export function FleetPage() {
  const fleet = useEntity("fleet", "fleet");
  const hasSnapshot = useHasSnapshot();
  if (!hasSnapshot) return null;
  if (fleet === undefined) {
    return (
      <Page title="Fleet">
        <Empty>
          This project is not in a fleet. <code className="font-mono text-xs">saga fleet init</code>{" "}
          creates one.
        </Empty>
      </Page>
    );
  }
  return (
    <Page title={`Fleet ${fleet.name}`} aside={<Tag>This machine is {fleet.machine}</Tag>}>
      {fleet.problem !== undefined && (
        <p role="alert" className="mb-6 rounded-xl bg-ask-wash px-4 py-3 text-sm text-ask">
          {fleet.problem} Below is what was last read.
        </p>
      )}
      <Machines fleet={fleet} />
      <Stories fleet={fleet} />
      {fleet.lanes.length > 0 && <Lanes fleet={fleet} />}
    </Page>
  );
}

function Machines({ fleet: { machines } }: { fleet: FleetCard }) {
  return (
    <Section title="Machines" count={machines.length} aside={<Source>from the database</Source>}>
      {machines.length === 0 ? (
        <Empty>
          No machine has joined. <code className="font-mono text-xs">saga fleet join</code> takes
          stories on a machine.
        </Empty>
      ) : (
        <Panel className="divide-y divide-line">
          {machines.map((machine) => (
            <Machine key={machine.name} machine={machine} />
          ))}
        </Panel>
      )}
    </Section>
  );
}

function Machine({ machine }: { machine: FleetMachineCard }) {
  const { name, slots, labels, stories, seenAt, state, costUsd } = machine;
  return (
    <article
      aria-label={name}
      className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 px-4 py-3 md:grid-cols-[minmax(0,1fr)_7rem_13rem_11rem] md:px-5"
    >
      <p className="flex min-w-0 items-center gap-2">
        <span
          aria-hidden="true"
          className={`size-2 shrink-0 rounded-full ${state === "joined" ? "bg-accent" : "bg-edge"}`}
        />
        <span className="truncate font-medium">{name}</span>
        {labels.map((label) => (
          <Tag key={label}>{label}</Tag>
        ))}
      </p>
      <p className="text-sm text-soft">{machineWord(machine)}</p>
      <p className="text-sm text-soft">
        {slotsText(stories.length, slots)}
        {costUsd > 0 && <span className="text-faint"> · {money(costUsd)}</span>}
      </p>
      <p className="text-sm text-faint md:text-right">
        last heartbeat <Ago at={seenAt} />
      </p>
    </article>
  );
}

const reviewsIn = ({ stories }: Entities): readonly string[] =>
  Object.entries(stories).flatMap(([id, story]) => (story?.state === "review" ? [id] : []));

function Stories({ fleet }: { fleet: FleetCard }) {
  const open = openStories(fleet.stories, useDerived(reviewsIn, isSameList));
  const done = fleet.stories.length - open.length;
  return (
    <Section
      title="Stories"
      count={open.length}
      aside={<Source>owner and queue from the database, state from git</Source>}
    >
      {open.length === 0 ? (
        <Empty>Nothing is queued.</Empty>
      ) : (
        <Panel className="divide-y divide-line">
          {open.map((story) => (
            <FleetStory key={story.story} story={story} />
          ))}
        </Panel>
      )}
      {done > 0 && <p className="mt-2 px-1 text-sm text-faint">{done} done</p>}
    </Section>
  );
}

function Lanes({ fleet: { lanes } }: { fleet: FleetCard }) {
  return (
    <Section
      title="Merging now"
      count={lanes.length}
      aside={<Source>from the database; the page Landing shows what waits</Source>}
    >
      <Panel className="divide-y divide-line">
        {lanes.map(({ lane, machine }) => (
          <p key={lane} className="flex justify-between gap-4 px-4 py-3 text-sm md:px-5">
            <span className="truncate font-medium">{laneWord(lane)}</span>
            <span className="text-soft">{machine}</span>
          </p>
        ))}
      </Panel>
    </Section>
  );
}

const Source = ({ children }: { children: string }) => (
  <span className="text-xs text-faint">{children}</span>
);
