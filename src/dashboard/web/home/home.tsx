// Home: first what needs a person, then what runs, then the progress of everything.

import { useDerived, useEntity, useHasSnapshot, isSameList } from "../live/hooks.ts";
import { useWaitingCount } from "../live/waiting-count.ts";
import { Page } from "../parts/layout.tsx";
import { ConflictSection } from "../landing/conflict-list.tsx";
import { count, money } from "../words/format.ts";
import { isAtWork, isIn } from "../words/states.ts";
import { EpicCards } from "./home-epics.tsx";
import { LooseStories } from "./home-loose.tsx";
import { NeedsYou } from "./home-needs-you.tsx";
import { busyWorkers } from "./home-pool.tsx";
import { ReadyToContinue, ReadyToStart } from "./home-ready.tsx";
import { Landing, RunningNow } from "./home-running.tsx";
import { StartHere } from "./start-here.tsx";
import { BrokenFiles } from "../parts/broken-files.tsx";

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
      <ReadyToContinue />
      <RunningNow />
      <Landing />
      <ConflictSection />
      <ReadyToStart />
      <EpicCards />
      <LooseStories />
      <BrokenInProject />
    </Page>
  );
}

function HomeTitle() {
  const waiting = useWaitingCount();
  const running = useRunningCount();
  const toContinue = useDerived(
    ({ stories }) => Object.values(stories).filter(isIn("continue")).length,
  );
  const toStart = useDerived(({ stories }) => Object.values(stories).filter(isIn("start")).length);
  if (waiting > 0) return waiting === 1 ? "One thing needs you" : `${waiting} things need you`;
  if (toContinue > 0) return `${count(toContinue, "story", "stories")} ready to continue`;
  if (running > 0) return `${running} running`;
  if (toStart > 0) return `${count(toStart, "story", "stories")} ready to start`;
  return "Nothing needs you";
}

/** Running stories and busy workers of the pool. */
const useRunningCount = (): number =>
  useDerived(
    ({ stories, pool }) =>
      Object.values(stories).filter(isAtWork).length + busyWorkers(pool).length,
  );

function Figures() {
  const project = useEntity("project", "project");
  const costToday = money(project?.costTodayUsd ?? 0, project?.costTodayIsEstimate);
  const running = useRunningCount();
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

function BrokenInProject() {
  const problems = useDerived(({ problems }) => Object.values(problems), isSameList);
  return <BrokenFiles problems={problems} />;
}
