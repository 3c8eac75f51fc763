import { DropdownMenu } from "radix-ui";
import type { ReactNode } from "react";

/** `trigger` is a `DropdownMenu.Trigger`, the children are its items. */
export function Menu({
  trigger,
  className = "",
  children,
}: {
  trigger: ReactNode;
  className?: string;
  children: ReactNode;
}) {
  return (
    // Not modal: a modal menu writes styles into the page, which the security policy forbids.
    <DropdownMenu.Root modal={false}>
      {trigger}
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          sideOffset={6}
          className={`z-30 min-w-40 rounded-xl border border-line bg-surface p-1 shadow-float ${className}`}
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
