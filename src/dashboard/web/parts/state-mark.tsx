// A state as a mark: the shape alone identifies it, without the colour.

import type { ReactNode } from "react";
import type { Look, Mark, Tone } from "../words/states.ts";

export const TONE_MARK: Readonly<Record<Tone, string>> = {
  idle: "text-faint",
  active: "text-active-mark",
  ask: "text-ask-mark",
  bad: "text-bad-mark",
  good: "text-good-mark",
};

const TONE_BADGE: Readonly<Record<Tone, string>> = {
  idle: "bg-sunken text-soft",
  active: "bg-accent-wash text-accent",
  ask: "bg-ask-wash text-ask",
  bad: "bg-bad-wash text-bad",
  good: "bg-good-wash text-good",
};

const SHAPES: Readonly<Record<Mark, ReactNode>> = {
  dotted: <circle cx="8" cy="8" r="5.8" strokeDasharray="1.2 2.44" />,
  clock: (
    <>
      <circle cx="8" cy="8" r="5.8" />
      <path d="M8 4.9V8l2 1.5" />
    </>
  ),
  ring: <circle cx="8" cy="8" r="5.8" />,
  half: (
    <>
      <circle cx="8" cy="8" r="5.8" />
      <path d="M8 4.6a3.4 3.4 0 0 1 0 6.8z" fill="currentColor" />
    </>
  ),
  play: (
    <>
      <circle cx="8" cy="8" r="8" fill="currentColor" stroke="none" className="pulse" />
      <circle cx="8" cy="8" r="6" strokeOpacity="0.45" />
      <circle cx="8" cy="8" r="3.3" fill="currentColor" stroke="none" />
    </>
  ),
  triangle: (
    <>
      <path d="M8 2.2 14.3 13.3H1.7z" />
      <path d="M8 6.4v3.2M8 11.5v.01" />
    </>
  ),
  question: (
    <>
      <path d="M8 1.3 14.7 8 8 14.7 1.3 8z" fill="currentColor" />
      <path d="M6.5 6.6A1.5 1.5 0 1 1 8.6 8c-.4.2-.6.5-.6 1M8 11v.01" className="stroke-surface" />
    </>
  ),
  cross: (
    <>
      <path d="M5.2 1.7h5.6l3.5 3.5v5.6l-3.5 3.5H5.2l-3.5-3.5V5.2z" fill="currentColor" />
      <path d="m5.8 5.8 4.4 4.4M10.2 5.8l-4.4 4.4" className="stroke-surface" />
    </>
  ),
  broken: (
    <>
      <path d="M9.5 2.4a5.8 5.8 0 0 1 0 11.2M6.5 13.6a5.8 5.8 0 0 1 0-11.2" />
      <path d="M8.8 4.8 7 8h2l-1.8 3.2" />
    </>
  ),
  square: (
    <>
      <circle cx="8" cy="8" r="5.8" />
      <rect x="5.7" y="5.7" width="4.6" height="4.6" rx="0.6" fill="currentColor" stroke="none" />
    </>
  ),
  hourglass: (
    <path d="M4 2.2h8M4 13.8h8M4.9 2.2c0 3.2 6.2 4.2 6.2 11.6M11.1 2.2c0 3.2-6.2 4.2-6.2 11.6" />
  ),
  gap: (
    <>
      <circle cx="8" cy="8" r="5.8" strokeDasharray="13.6 4.6" />
      <path d="M5.4 8h5.2" />
    </>
  ),
  back: <path d="M5.6 3.2 2.4 6.4l3.2 3.2M2.8 6.4h6.6a3.6 3.6 0 0 1 0 7.2H6.2" />,
  eye: (
    <>
      <path d="M1.5 8S3.8 3.7 8 3.7 14.5 8 14.5 8 12.2 12.3 8 12.3 1.5 8 1.5 8z" />
      <circle cx="8" cy="8" r="1.7" fill="currentColor" stroke="none" />
    </>
  ),
  check: (
    <>
      <circle cx="8" cy="8" r="6.5" fill="currentColor" stroke="none" />
      <path d="m5.2 8.3 2 2 3.7-4.2" className="stroke-surface" />
    </>
  ),
};

export function StateMark({ look, className = "size-4" }: { look: Look; className?: string }) {
  return (
    <svg
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      role="img"
      aria-label={look.word}
      className={`shrink-0 overflow-visible ${TONE_MARK[look.tone]} ${className}`}
    >
      {SHAPES[look.mark]}
    </svg>
  );
}

export function StateBadge({ look }: { look: Look }) {
  return (
    <span
      className={`inline-flex h-6 items-center gap-1.5 rounded-full pr-2.5 pl-1.5 text-xs font-medium whitespace-nowrap ${TONE_BADGE[look.tone]}`}
    >
      <StateMark look={look} className="size-3.5" />
      <span aria-hidden="true">{look.word}</span>
    </span>
  );
}
