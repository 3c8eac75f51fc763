// Chooses the page, and adds what all pages share: the palette and the shortcuts. Home is part of the first load;
// other pages are fetched when they are first opened.

import { lazy, Suspense, useCallback, useState, type ComponentType } from "react";
import { Route, Switch, useLocation } from "wouter";
import { ActionProvider, useActions } from "./actions/action-provider.tsx";
import { KeyHelp } from "./keys/key-help.tsx";
import { stepRow, useKeys } from "./keys/use-keys.ts";
import { useConnectionState } from "./live/hooks.ts";
import { Palette } from "./palette/palette.tsx";
import { Page } from "./parts/layout.tsx";
import { ErrorBoundary } from "./parts/error-boundary.tsx";
import { HomePage } from "./home/home.tsx";
import { Shell } from "./shell/shell.tsx";
import { usePageTitle } from "./shell/page-title.ts";
import { Command } from "./parts/copy.tsx";

const page = (load: () => Promise<ComponentType>) => lazy(async () => ({ default: await load() }));

const BoardPage = page(async () => (await import("./board/board.tsx")).BoardPage);
const StoriesPage = page(async () => (await import("./pages/stories.tsx")).StoriesPage);
const StoryPage = page(async () => (await import("./story/story-page.tsx")).StoryPage);
const EpicPage = page(async () => (await import("./pages/epic.tsx")).EpicPage);
const PoolPage = page(async () => (await import("./pool/pool.tsx")).PoolPage);
const LandingPage = page(async () => (await import("./landing/landing-page.tsx")).LandingPage);
const SessionsPage = page(async () => (await import("./pages/sessions.tsx")).SessionsPage);
const CostsPage = page(async () => (await import("./costs/costs.tsx")).CostsPage);
const FleetPage = page(async () => (await import("./fleet/fleet-page.tsx")).FleetPage);
const TimelinePage = page(async () => (await import("./timeline/timeline.tsx")).TimelinePage);

export function App() {
  return useConnectionState() === "locked" ? <Locked /> : <OpenApp />;
}

const OpenApp = () => (
  <ActionProvider>
    <Pages />
  </ActionProvider>
);

function Pages() {
  const { ask } = useActions();
  const [shown, setShown] = useState<"palette" | "help">();
  const [path, navigate] = useLocation();
  const close = useCallback(() => setShown(undefined), []);
  usePageTitle();
  useKeys((command) => {
    switch (command.do) {
      case "palette":
      case "help":
        return setShown(command.do);
      case "new-story":
        return ask({ about: "create", kind: "story" });
      case "go":
        return navigate(command.href);
      case "row":
        return stepRow(command.step);
    }
  });
  return (
    <>
      <Shell onSearch={() => setShown("palette")}>
        <ErrorBoundary what="This page" resetKey={path}>
          <Suspense fallback={null}>
            <Switch>
              <Route path="/" component={HomePage} />
              <Route path="/board" component={BoardPage} />
              <Route path="/stories" component={StoriesPage} />
              <Route path="/story/:id/:tab?" component={StoryPage} />
              <Route path="/epic/:id" component={EpicPage} />
              <Route path="/pool" component={PoolPage} />
              <Route path="/landing" component={LandingPage} />
              <Route path="/sessions" component={SessionsPage} />
              <Route path="/costs" component={CostsPage} />
              <Route path="/fleet" component={FleetPage} />
              <Route path="/timeline" component={TimelinePage} />
              <Route component={NotFound} />
            </Switch>
          </Suspense>
        </ErrorBoundary>
      </Shell>
      {shown === "palette" && <Palette onClose={close} />}
      {shown === "help" && <KeyHelp onClose={close} />}
    </>
  );
}

function NotFound() {
  return (
    <Page title="Page not found">
      <p className="text-soft">Press / to search.</p>
    </Page>
  );
}

/** Shown when the server runs but this browser has no cookie yet. */
function Locked() {
  return (
    <main className="mx-auto max-w-md px-4 pt-[20vh]">
      <h1 className="text-xl font-semibold tracking-[-0.015em]">This link needs its key</h1>
      <p className="mt-1.5 mb-4 text-soft">
        Open the link that the dashboard prints when it starts: it contains the key. Each browser
        needs it once.
      </p>
      <Command>saga dashboard --open</Command>
    </main>
  );
}
