// The pages of the navigation, and the key that opens each after `g`.

export const PAGES = [
  { href: "/", word: "Home", key: "h" },
  { href: "/board", word: "Board", key: "b" },
  { href: "/stories", word: "Stories", key: "s" },
  { href: "/landing", word: "Landing", key: "l" },
  { href: "/pool", word: "Pool", key: "p" },
  { href: "/sessions", word: "Sessions", key: "n" },
  { href: "/timeline", word: "Timeline", key: "t" },
  { href: "/costs", word: "Costs", key: "c" },
] as const;

/** Only for a project in a fleet. */
export const FLEET_PAGE = { href: "/fleet", word: "Fleet", key: "f" } as const;

/** A phone's bar has room for these; the others are behind "More". */
export const PHONE_PAGES = PAGES.slice(0, 4);
export const MORE_PAGES = PAGES.slice(PHONE_PAGES.length);

export type PageHref = (typeof PAGES)[number]["href"] | typeof FLEET_PAGE.href;
