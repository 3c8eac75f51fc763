// What needs a person first, then what runs, then how far everything is.

import { useDerived, useEntity, useHasSnapshot } from "../live/hooks.ts";
import { useWaitingCount } from "../live/waiting-count.ts";
import { Page } from "../parts/layout.tsx";
import { money } from "../words/format.ts";
import { isAtWork } from "../words/states.ts";
import { BrokenInProject } from "./home-broken.tsx";
import { EpicCards } from "./home-epics.tsx";
import { LooseStories } from "./home-loose.tsx";
import { NeedsYou } from "./home-needs-you.tsx";
import { RunningNow } from "./home-running.tsx";
import { StartHere } from "./start-here.tsx";

export function HomePage() {
  const hasSnapshot = useHasSnapshot();
  const isEmpty = useDerived(({ stories, epics, problems }) =>
    [stories, epics, problems].every((kind) => Object.keys(kind).length === 0),
  );
  if (!hasSnapshot) return null;
  if (isEmpty) return <StartHere />;
  return (
    <Page title={<HomeTitle />} aside={<Figures />}>
      <NeedsYou />
      <RunningNow />
      <EpicCards />
      <LooseStories />
      <BrokenInProject />
    </Page>
  );
}

function HomeTitle() {
  const waiting = useWaitingCount();
  const running = useDerived(({ stories }) => Object.values(stories).filter(isAtWork).length);
  if (waiting > 0) return waiting === 1 ? "One thing needs you" : `${waiting} things need you`;
  if (running > 0) return running === 1 ? "One story is running" : `${running} stories are running`;
  return "Nothing needs you";
}

function Figures() {
  const project = useEntity("project", "project");
  const costToday = money(project?.costTodayUsd ?? 0, project?.costTodayIsEstimate);
  const running = useDerived(({ stories }) => Object.values(stories).filter(isAtWork).length);
  const done = useDerived(
    ({ stories }) => Object.values(stories).filter(({ state }) => state === "completed").length,
  );
  const total = useDerived(({ stories }) => Object.keys(stories).length);
  return (
    <dl className="flex gap-7">
      <Figure word="Running" value={String(running)} />
      <Figure word="Completed" value={`${done} / ${total}`} />
      <Figure word="Cost today" value={costToday} />
    </dl>
  );
}

function Figure({ word, value }: { word: string; value: string }) {
  return (
    <div className="flex flex-col-reverse">
      <dt className="text-xs text-faint">{word}</dt>
      <dd className="figure text-lg leading-6 font-semibold tracking-[-0.01em]">{value}</dd>
    </div>
  );
}
