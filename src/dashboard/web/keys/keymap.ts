// Maps a key press, and the one before it, to a command. Pure.

import { FLEET_PAGE, PAGES } from "./pages.ts";

export type Command =
  | { readonly do: "palette" }
  | { readonly do: "help" }
  | { readonly do: "new-story" }
  | { readonly do: "go"; readonly href: string }
  | { readonly do: "row"; readonly step: 1 | -1 };

export interface Press {
  readonly key: string;
  /** Ctrl, or Cmd on a Mac. */
  readonly hasModifier: boolean;
  readonly hasAlt: boolean;
  /** The focus is in a text field, where only Ctrl K works. */
  readonly isTyping: boolean;
  readonly atMs: number;
}

/** `g` was pressed; the next key chooses the page. */
export interface PendingKeys {
  readonly sinceMs: number;
}

export interface Meaning {
  readonly command?: Command;
  readonly waiting?: PendingKeys;
}

const SECOND_KEY_WITHIN_MS = 1500;

export function meaningOf(press: Press, before: PendingKeys | undefined): Meaning {
  if (press.hasModifier) {
    return press.key.toLowerCase() === "k" ? { command: { do: "palette" } } : {};
  }
  if (press.isTyping || press.hasAlt) return {};
  if (before && press.atMs - before.sinceMs <= SECOND_KEY_WITHIN_MS) {
    const page = [...PAGES, FLEET_PAGE].find(({ key }) => key === press.key);
    if (page) return { command: { do: "go", href: page.href } };
  }
  switch (press.key) {
    case "g":
      return { waiting: { sinceMs: press.atMs } };
    case "/":
      return { command: { do: "palette" } };
    case "c":
      return { command: { do: "new-story" } };
    case "?":
      return { command: { do: "help" } };
    case "j":
      return { command: { do: "row", step: 1 } };
    case "k":
      return { command: { do: "row", step: -1 } };
    default:
      return {};
  }
}

/** The list that `?` shows. */
export const KEY_HELP: readonly (readonly [keys: string, what: string])[] = [
  ["Ctrl K  or  /", "Search or run a command"],
  ...PAGES.map(({ key, word }) => [`g ${key}`, word] as const),
  ["c", "New story"],
  ["j  k", "Next / previous row"],
  ["Enter", "Open the selected row"],
  ["Esc", "Close, or leave the field"],
  ["?", "Show these shortcuts"],
];
