import type { ReactNode } from "react";
import { Icon } from "./icon.tsx";

/** Rarely needed content behind a summary. */
export function Disclosure({
  word,
  isOpen = false,
  className = "",
  children,
}: {
  word: string;
  isOpen?: boolean;
  className?: string;
  children: ReactNode;
}) {
  return (
    <details className={`group/disclosure ${className}`} open={isOpen}>
      <summary className="inline-flex items-center gap-1 text-xs text-soft hover:text-ink">
        <Icon
          name="chevron"
          className="size-3 transition-transform group-open/disclosure:rotate-90"
        />
        {word}
      </summary>
      {children}
    </details>
  );
}
