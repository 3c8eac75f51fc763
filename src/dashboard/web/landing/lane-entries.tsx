// What waits in a lane, in the order in which it lands, and what a person can do with it.

import type { LaneCard, LaneEntryCard } from "../../protocol/landing.ts";
import type { Entities } from "../../protocol/messages.ts";
import { ActButton } from "../actions/act-button.tsx";
import { useActions } from "../actions/action-provider.tsx";
import { isSameList, useDerived, useIsOffline } from "../live/hooks.ts";
import { Button } from "../parts/button.tsx";
import { Panel, Tag } from "../parts/layout.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import { Ago, useNow } from "../parts/time.tsx";
import type { Look } from "../words/states.ts";
import { conflictNames } from "./conflicts.ts";
import { EntryName } from "./entry-name.tsx";
import { etaText, laneGroups } from "./lane-groups.ts";

const LOOKS: Readonly<Record<LaneEntryCard["state"], Look>> = {
  landing: { word: "Landing", tone: "active", mark: "play" },
  waiting: { word: "Waiting", tone: "idle", mark: "clock" },
  held: { word: "On hold", tone: "ask", mark: "square" },
};

export function LaneEntries({ lane }: { lane: LaneCard }) {
  return (
    <Panel className="divide-y divide-line overflow-hidden">
      {laneGroups(lane).map(({ title, entries }) => (
        <section key={title} aria-label={title}>
          <h3 className="bg-sunken px-4 py-1.5 text-2xs font-medium text-faint md:px-5">{title}</h3>
          <ol className="divide-y divide-line">
            {entries.map((entry) => (
              <li key={entry.name}>
                <EntryRow entry={entry} position={entry.position} />
              </li>
            ))}
          </ol>
        </section>
      ))}
    </Panel>
  );
}

function EntryRow({ entry, position }: { entry: LaneEntryCard; position: number }) {
  const { name, kind, state, reason, machine, isLeft } = entry;
  return (
    <article
      aria-label={name}
      className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-3.5 gap-y-2 px-4 py-2.5 md:grid-cols-[auto_minmax(0,1fr)_8rem_auto] md:px-5"
    >
      <span className="flex items-center gap-2.5">
        <span className="figure w-4 text-right text-xs text-faint">{position}</span>
        <StateMark look={LOOKS[state]} />
      </span>
      <div className="min-w-0">
        <p className="flex items-center gap-2">
          <EntryName name={name} isRow className="truncate font-medium" />
          {kind !== "story" && <Tag>{kind === "epic" ? "Epic" : "Pool task"}</Tag>}
        </p>
        <p className="text-xs text-faint">
          {reason}
          {machine !== undefined &&
            ` · on ${machine}${isLeft ? ", which alone can merge it" : ""}`}{" "}
          · since <Ago at={entry.enqueuedAt} />
          <Eta entry={entry} className="before:content-['_·_'] md:hidden" />
        </p>
        <EntryConflicts name={name} />
      </div>
      <Eta entry={entry} className="hidden text-right text-xs text-soft md:block" />
      <EntryActions name={name} isHeld={state === "held"} />
    </article>
  );
}

function Eta({ entry, className }: { entry: LaneEntryCard; className: string }) {
  const text = useNow((nowMs) => etaText(entry, nowMs));
  return (
    <span className={`figure ${text === "" ? "max-md:hidden" : ""} ${className}`}>{text}</span>
  );
}

function EntryConflicts({ name }: { name: string }) {
  const names = useDerived(
    ({ conflicts }: Entities) => conflictNames(Object.values(conflicts), name),
    isSameList,
  );
  if (names.length === 0) return null;
  return (
    <p className="mt-0.5 text-xs text-ask">
      Conflicts with{" "}
      {names.map((other, at) => (
        <span key={other}>
          {at > 0 && ", "}
          <EntryName name={other} className="underline-offset-2 hover:underline" />
        </span>
      ))}
    </p>
  );
}

function EntryActions({ name, isHeld }: { name: string; isHeld: boolean }) {
  const { ask } = useActions();
  const isOffline = useIsOffline();
  return (
    <div className="col-start-2 -ml-3 flex gap-1 md:col-start-auto md:ml-0 md:justify-end">
      <ActButton
        look="quiet"
        className="h-7 text-xs"
        aria-label={`${isHeld ? "Release" : "Hold"} ${name}`}
        act={{ act: isHeld ? "queue-release" : "queue-hold", entry: name }}
      >
        {isHeld ? "Release" : "Hold"}
      </ActButton>
      <Button
        look="quiet"
        className="h-7 text-xs"
        disabled={isOffline}
        aria-label={`Drop ${name}…`}
        onClick={() =>
          ask({
            about: "confirm",
            title: "Drop from the queue",
            text: `Takes \`${name}\` out of the queue. Its work stays as it is: merge it again whenever you like.`,
            word: "Drop",
            act: { act: "queue-drop", entry: name },
          })
        }
      >
        Drop…
      </Button>
    </div>
  );
}
