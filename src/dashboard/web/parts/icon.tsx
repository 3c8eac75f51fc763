// The page's icons, drawn on a grid of 16.

import type { ReactNode } from "react";

const PATHS = {
  home: <path d="M2.5 7.2 8 2.8l5.5 4.4v5.8a.7.7 0 0 1-.7.7H9.8v-4H6.2v4h-3a.7.7 0 0 1-.7-.7z" />,
  board: <path d="M2.5 3h3v10h-3zM6.5 3h3v6.5h-3zM10.5 3h3v8.5h-3z" />,
  stories: <path d="M3 4h10M3 8h10M3 12h6.5" />,
  pool: <path d="m8 2.5 5.7 3L8 8.5l-5.7-3zM2.3 8.3 8 11.3l5.7-3M2.3 11 8 14l5.7-3" />,
  landing: <path d="M8 2.3v7.2M5 6.7l3 3 3-3M2.5 10.5v2.7h11v-2.7" />,
  sessions: <path d="M2.3 3.3h11.4v9.4H2.3zM5 6.5 6.8 8.2 5 9.9M8.5 10h2.7" />,
  timeline: <path d="M2.5 4.5h5M5.5 8h6M9 11.5h4.5" strokeWidth="2" />,
  money: (
    <path d="M8 1.8v12.4M11 4.6c-.6-.9-1.7-1.3-3-1.3-1.8 0-3 .8-3 2.2 0 3.1 6.2 1.6 6.2 4.8 0 1.5-1.3 2.4-3.2 2.4-1.4 0-2.6-.5-3.2-1.5" />
  ),
  fleet: (
    <path d="M2.3 3h4.4v3.4H2.3zM9.3 3h4.4v3.4H9.3zM5.8 9.6h4.4V13H5.8zM4.5 6.4v1.4h7V6.4M8 7.8v1.8" />
  ),
  search: <path d="M7 11.7a4.7 4.7 0 1 0 0-9.4 4.7 4.7 0 0 0 0 9.4zM10.5 10.5l3.3 3.3" />,
  copy: <path d="M5.7 5.7h7.6v7.6H5.7zM10.3 5.5V2.7H2.7v7.6h2.8" />,
  done: <path d="m3 8.6 3.2 3.2L13 4.7" />,
  close: <path d="m4 4 8 8M12 4l-8 8" />,
  more: <path d="M3.5 8h.01M8 8h.01M12.5 8h.01" strokeWidth="2.2" />,
  sun: (
    <path d="M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M12.6 3.4l-.9.9M4.3 11.7l-.9.9" />
  ),
  moon: <path d="M13.3 9.6A5.7 5.7 0 0 1 6.4 2.7a5.7 5.7 0 1 0 6.9 6.9z" />,
  bell: <path d="M4 11.5V7a4 4 0 0 1 8 0v4.5l1.2 1.2H2.8zM6.6 14.4h2.8" />,
  "bell-off": (
    <path d="M4 11.5V7c0-.6.1-1.2.4-1.7M6.3 3.4A4 4 0 0 1 12 7v3.5M10.8 12.7h-8L4 11.5M6.6 14.4h2.8M2.3 2.3l11.4 11.4" />
  ),
  system: <path d="M2.3 3h11.4v7.7H2.3zM6 13.3h4M8 10.7v2.6" />,
  chevron: <path d="m6 4 4 4-4 4" />,
  branch: (
    <path d="M4.5 5v6M4.5 5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM4.5 14a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM11.5 6.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM11.5 6.5c0 2.5-3 2.7-5.6 3.8" />
  ),
  outside: <path d="M9.3 2.7h4v4M13 3 7.7 8.3M11.7 9.3v4h-9v-9h4" />,
  act: <path d="M9 1.8 3.5 9H8l-1 5.2L12.5 7H8z" />,
  plus: <path d="M8 3v10M3 8h10" />,
  down: <path d="M8 3v9.5M4 8.7l4 4 4-4" />,
  list: <path d="M2.7 4h.01M2.7 8h.01M2.7 12h.01M5.5 4h8M5.5 8h8M5.5 12h8" />,
  graph: (
    <path d="M2.3 6.3h3.4v3.4H2.3zM10.3 2.3h3.4v3.4h-3.4zM10.3 10.3h3.4v3.4h-3.4zM5.7 7.3l4.6-2.6M5.7 8.7l4.6 2.6" />
  ),
  file: <path d="M4 1.8h5.2L12.5 5v9.2H4zM9 2v3.3h3.3" />,
} satisfies Record<string, ReactNode>;

export type IconName = keyof typeof PATHS;

export function Icon({ name, className = "size-4" }: { name: IconName; className?: string }) {
  return (
    <svg
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.4"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className={`shrink-0 ${className}`}
    >
      {PATHS[name]}
    </svg>
  );
}
