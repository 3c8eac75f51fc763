// The page of a story: its actions and its tabs. Each tab has an address.

import { lazy, Suspense, useEffect, useRef, type ComponentType } from "react";
import { Link, useParams } from "wouter";
import {
  isSameList,
  useDerived,
  useEntity,
  useHasSnapshot,
  useStoryDetail,
} from "../live/hooks.ts";
import type { StoryDetail } from "../../protocol/details.ts";
import type { StoryCard } from "../../protocol/messages.ts";
import { BrokenFiles } from "../parts/broken-files.tsx";
import { Loading, Empty, Page } from "../parts/layout.tsx";
import { ErrorBoundary } from "../parts/error-boundary.tsx";
import { JournalTab } from "./receipts/journal-tab.tsx";
import { OverviewTab } from "./overview-tab.tsx";
import { ReceiptsTab } from "./receipts/receipts-tab.tsx";
import { RunsTab } from "./runs-tab.tsx";
import { StoryAbove, StoryAside, StoryFacts } from "./story-head.tsx";

export interface TabProps {
  readonly story: StoryCard;
  readonly detail: StoryDetail;
}

const LogTab = lazy(async () => ({ default: (await import("./log-tab.tsx")).LogTab }));
const DiffTab = lazy(async () => ({ default: (await import("./diff/diff-tab.tsx")).DiffTab }));

const TABS: Readonly<
  Record<string, { word: string; Tab: ComponentType<TabProps>; size?: (d: StoryDetail) => number }>
> = {
  overview: { word: "Overview", Tab: OverviewTab },
  log: { word: "Log", Tab: LogTab },
  diff: { word: "Diff", Tab: DiffTab },
  journal: { word: "Journal", Tab: JournalTab, size: ({ journal }) => journal.length },
  receipts: { word: "Receipts", Tab: ReceiptsTab, size: ({ receipts }) => receipts.length },
  runs: { word: "Runs", Tab: RunsTab, size: ({ runs }) => runs.length },
};

export function StoryPage() {
  const { id = "", tab = "overview" } = useParams();
  const story = useEntity("stories", id);
  const hasSnapshot = useHasSnapshot();
  if (!hasSnapshot) return null;
  if (story === undefined) return <WithoutCard id={id} />;
  return (
    <Page
      title={story.title}
      above={<StoryAbove story={story} />}
      aside={<StoryAside story={story} />}
    >
      <StoryFacts story={story} />
      <StoryTabs key={id} story={story} tab={Object.hasOwn(TABS, tab) ? tab : "overview"} />
    </Page>
  );
}

/** The story is invalid or does not exist. */
function WithoutCard({ id }: { id: string }) {
  const problems = useDerived(
    (entities) => Object.values(entities.problems).filter(({ story }) => story === id),
    isSameList,
  );
  if (problems.length > 0) {
    return (
      <Page title={id}>
        <BrokenFiles problems={problems} />
        <p className="text-sm text-soft">
          The story reappears when its files can be read. Its work is kept.
        </p>
      </Page>
    );
  }
  return (
    <Page title="Story not found">
      <Empty>
        No story has the id <code className="font-mono">{id}</code>.
      </Empty>
    </Page>
  );
}

/** On a phone the tabs are wider than the screen: scrolls them without moving the page. */
function showChosen(nav: HTMLElement | null): void {
  const chosen = nav?.querySelector<HTMLElement>("[aria-current=page]");
  if (!nav || !chosen) return;
  const end = chosen.offsetLeft + chosen.offsetWidth - nav.offsetLeft;
  nav.scrollLeft = Math.max(0, end - nav.clientWidth);
}

function StoryTabs({ story, tab }: { story: StoryCard; tab: string }) {
  const { value: detail, error } = useStoryDetail(story.id);
  const shown = TABS[tab];
  const nav = useRef<HTMLElement>(null);
  const hasDetail = detail !== undefined;
  // Again when the counts arrive, which make the tabs wider.
  // oxlint-disable-next-line react/exhaustive-effect-dependencies -- depends on the rendered tabs
  useEffect(() => showChosen(nav.current), [tab, hasDetail]);
  return (
    <>
      <nav
        ref={nav}
        aria-label="Story"
        className="mb-6 flex gap-1 overflow-x-auto border-b border-line [scrollbar-width:none]"
      >
        {Object.entries(TABS).map(([name, { word, size }]) => (
          <Link
            key={name}
            href={name === "overview" ? `/story/${story.id}` : `/story/${story.id}/${name}`}
            aria-current={name === tab ? "page" : undefined}
            className="-mb-px flex items-center gap-1.5 border-b-2 border-transparent px-3 py-2 text-sm whitespace-nowrap text-soft -outline-offset-2 hover:text-ink aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink"
          >
            {word}
            {size && detail && size(detail) > 0 && (
              <span className="figure text-xs text-faint">{size(detail)}</span>
            )}
          </Link>
        ))}
      </nav>
      {error !== undefined && <p className="mb-4 text-sm text-bad">{error}</p>}
      {detail === undefined || shown === undefined ? (
        error === undefined && <Loading what="the story" />
      ) : (
        <ErrorBoundary what={shown.word} resetKey={tab}>
          <Suspense fallback={<Loading what={shown.word.toLowerCase()} />}>
            <shown.Tab story={story} detail={detail} />
          </Suspense>
        </ErrorBoundary>
      )}
    </>
  );
}
