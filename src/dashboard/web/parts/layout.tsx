// The building blocks of every page.

import type { ReactNode } from "react";

export function Page({
  title,
  above,
  aside,
  children,
}: {
  title: ReactNode;
  above?: ReactNode;
  aside?: ReactNode;
  children: ReactNode;
}) {
  return (
    <div className="mx-auto w-full max-w-[76rem] px-4 pt-5 pb-24 md:px-8 md:pt-8 md:pb-12">
      <header className="mb-6 flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          {above}
          <h1 className="text-[1.4667rem] leading-tight font-semibold tracking-[-0.018em]">
            {title}
          </h1>
        </div>
        {aside}
      </header>
      {children}
    </div>
  );
}

export function Section({
  title,
  count,
  aside,
  children,
}: {
  title: string;
  count?: number | undefined;
  aside?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section aria-label={title} className="mb-8">
      <div className="mb-2.5 flex min-h-7 items-center gap-2">
        <h2 className="text-[0.8667rem] font-semibold text-ink">{title}</h2>
        {count !== undefined && (
          <span className="figure rounded-full bg-sunken px-2 text-xs leading-5 text-soft">
            {count}
          </span>
        )}
        <div className="ml-auto">{aside}</div>
      </div>
      {children}
    </section>
  );
}

export function Panel({ children, className = "" }: { children: ReactNode; className?: string }) {
  return (
    <div className={`rounded-xl border border-line bg-surface shadow-card ${className}`}>
      {children}
    </div>
  );
}

/** Ids, branches and files, which a person may type. */
export function Id({ children, className = "" }: { children: ReactNode; className?: string }) {
  return <span className={`font-mono text-xs text-faint ${className}`}>{children}</span>;
}

export function Empty({ children }: { children: ReactNode }) {
  return (
    <p className="rounded-xl border border-dashed border-line px-4 py-6 text-center text-sm text-faint">
      {children}
    </p>
  );
}

export function Tag({ children }: { children: ReactNode }) {
  return (
    <span className="inline-flex h-5 items-center rounded-md border border-line px-1.5 text-2xs font-medium text-faint">
      {children}
    </span>
  );
}

export function Loading({ what }: { what: string }) {
  return (
    <p role="status" className="py-10 text-center text-sm text-faint">
      Loading {what}…
    </p>
  );
}
