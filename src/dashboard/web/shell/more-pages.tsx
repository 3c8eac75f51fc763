// The pages that do not fit into a phone's bar.

import { DropdownMenu } from "radix-ui";
import { Link, useLocation } from "wouter";
import { FLEET_PAGE, MORE_PAGES } from "../keys/pages.ts";
import { useEntity } from "../live/hooks.ts";
import { Icon } from "../parts/icon.tsx";
import { Menu } from "../parts/menu.tsx";

export const TAB_SHAPE = "flex flex-col items-center gap-0.5 py-2 text-2xs text-faint";

export function MorePages() {
  const [path] = useLocation();
  const isInFleet = useEntity("fleet", "fleet") !== undefined;
  const pages = isInFleet ? [...MORE_PAGES, FLEET_PAGE] : MORE_PAGES;
  const isHere = pages.some(({ href }) => href === path);
  return (
    <Menu
      className="mr-2"
      trigger={
        <DropdownMenu.Trigger className={`${TAB_SHAPE} ${isHere ? "font-medium text-accent" : ""}`}>
          <Icon name="more" className="size-[1.15rem]" />
          More
        </DropdownMenu.Trigger>
      }
    >
      {pages.map(({ href, word }) => (
        <DropdownMenu.Item key={href} asChild>
          <Link
            href={href}
            aria-current={href === path ? "page" : undefined}
            className="block rounded-lg px-3 py-2 outline-none data-highlighted:bg-hover aria-[current=page]:text-accent"
          >
            {word}
          </Link>
        </DropdownMenu.Item>
      ))}
    </Menu>
  );
}
