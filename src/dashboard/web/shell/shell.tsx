// The frame around every page: navigation, search, theme and connection status.

import type { ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { useEntity } from "../live/hooks.ts";
import { useWaitingCount } from "../live/waiting-count.ts";
import { FLEET_PAGE, PAGES, PHONE_PAGES, type PageHref } from "../keys/pages.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { EpicNav } from "./epic-nav.tsx";
import { MorePages, TAB_SHAPE } from "./more-pages.tsx";
import { ConnectionStatus } from "./connection-status.tsx";
import { Notifier, NotifySwitch } from "../notify/notify-switch.tsx";
import { ThemeSwitch } from "./theme-switch.tsx";

const ICONS: Readonly<Record<PageHref, IconName>> = {
  "/": "home",
  "/board": "board",
  "/stories": "stories",
  "/landing": "landing",
  "/pool": "pool",
  "/sessions": "sessions",
  "/timeline": "timeline",
  "/costs": "money",
  "/fleet": "fleet",
};

export function Shell({ onSearch, children }: { onSearch: () => void; children: ReactNode }) {
  return (
    <div className="min-h-dvh md:grid md:grid-cols-[14.5rem_minmax(0,1fr)]">
      <a
        href="#main"
        className="sr-only z-50 rounded-lg bg-surface px-3 py-2 focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to content
      </a>
      <header className="sticky top-0 z-20 flex items-center gap-2 border-b border-line bg-canvas px-4 py-2 md:hidden">
        <Brand />
        <div className="ml-auto flex items-center gap-1">
          <ConnectionStatus />
          <button
            type="button"
            aria-label="Search"
            onClick={onSearch}
            className="inline-flex size-9 items-center justify-center rounded-lg text-soft"
          >
            <Icon name="search" />
          </button>
          <NotifySwitch />
          <ThemeSwitch />
        </div>
      </header>
      <header className="sticky top-0 hidden h-dvh flex-col border-r border-line bg-canvas px-3 py-4 md:flex">
        <div className="px-2">
          <Brand />
        </div>
        <SearchButton onSearch={onSearch} />
        <nav aria-label="Pages" className="space-y-0.5">
          {PAGES.map(({ href, word, key }) => (
            <NavLink key={href} href={href} word={word} hint={key} />
          ))}
          <FleetLink />
        </nav>
        <EpicNav />
        <div className="mt-auto flex items-center justify-between px-2 pt-3">
          <ConnectionStatus />
          <div className="flex">
            <NotifySwitch />
            <ThemeSwitch />
          </div>
        </div>
      </header>
      <Notifier />
      <main id="main" tabIndex={-1} className="min-w-0 outline-none">
        {children}
      </main>
      <nav
        aria-label="Pages"
        className="fixed inset-x-0 bottom-0 z-20 grid auto-cols-fr grid-flow-col border-t border-line bg-surface pb-[env(safe-area-inset-bottom)] md:hidden"
      >
        {PHONE_PAGES.map(({ href, word }) => (
          <TabLink key={href} href={href} word={word} />
        ))}
        <MorePages />
      </nav>
    </div>
  );
}

function Brand() {
  const project = useEntity("project", "project");
  return (
    <Link href="/" className="flex min-w-0 items-center gap-2.5" title={project?.folder ?? "Saga"}>
      <svg viewBox="0 0 32 32" aria-hidden="true" className="size-7 shrink-0">
        <rect width="32" height="32" rx="9" className="fill-accent" />
        <path
          d="M21.5 10.2c-1.2-1.6-3.2-2.4-5.5-2.4-3.3 0-5.6 1.6-5.6 4.1 0 5.7 11.2 2.6 11.2 8.3 0 2.5-2.3 4.1-5.6 4.1-2.4 0-4.5-.9-5.7-2.6"
          fill="none"
          strokeWidth="2.9"
          strokeLinecap="round"
          className="stroke-on-accent"
        />
      </svg>
      <span className="min-w-0 leading-tight">
        <span className="block truncate font-semibold tracking-[-0.01em]">
          {project?.name ?? "Saga"}
        </span>
        {project?.target !== undefined && (
          <span className="block truncate text-2xs text-faint">target: {project.target}</span>
        )}
      </span>
    </Link>
  );
}

function SearchButton({ onSearch }: { onSearch: () => void }) {
  return (
    <button
      type="button"
      aria-label="Search or run a command"
      onClick={onSearch}
      className="my-4 flex h-9 items-center gap-2 rounded-lg border border-line bg-surface px-2.5 text-sm text-faint shadow-card hover:border-edge"
    >
      <Icon name="search" />
      <span className="flex-1 truncate text-left">Search…</span>
      <kbd className="rounded border border-line px-1.5 font-mono text-2xs">Ctrl K</kbd>
    </button>
  );
}

function NavLink({ href, word, hint }: { href: PageHref; word: string; hint: string }) {
  const isHere = useIsHere(href);
  return (
    <Link
      href={href}
      aria-current={isHere ? "page" : undefined}
      className="group flex h-8 items-center gap-2.5 rounded-lg px-2 text-sm text-soft hover:bg-hover hover:text-ink aria-[current=page]:bg-accent-wash aria-[current=page]:font-medium aria-[current=page]:text-accent"
    >
      <Icon name={ICONS[href]} />
      <span className="flex-1">{word}</span>
      {href === "/" && <WaitingCount />}
      <kbd aria-hidden="true" className="hidden font-mono text-2xs text-faint group-hover:inline">
        g {hint}
      </kbd>
    </Link>
  );
}

function FleetLink() {
  const fleet = useEntity("fleet", "fleet");
  const { href, word, key } = FLEET_PAGE;
  return fleet && <NavLink href={href} word={word} hint={key} />;
}

function WaitingCount() {
  const count = useWaitingCount();
  if (count === 0) return null;
  return (
    <span className="figure rounded-full bg-ask-wash px-1.5 text-2xs font-semibold text-ask">
      {count}
      <span className="sr-only"> need you</span>
    </span>
  );
}

function TabLink({ href, word }: { href: PageHref; word: string }) {
  const isHere = useIsHere(href);
  return (
    <Link
      href={href}
      aria-current={isHere ? "page" : undefined}
      className={`${TAB_SHAPE} aria-[current=page]:font-medium aria-[current=page]:text-accent`}
    >
      <span className="relative">
        <Icon name={ICONS[href]} className="size-[1.15rem]" />
        {href === "/" && (
          <span className="absolute -top-1.5 left-full -ml-1 flex whitespace-nowrap">
            <WaitingCount />
          </span>
        )}
      </span>
      {word}
    </Link>
  );
}

function useIsHere(href: PageHref): boolean {
  const [path] = useLocation();
  return path === href || (href === "/stories" && path.startsWith("/story/"));
}
