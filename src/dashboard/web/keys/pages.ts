// The pages of the navigation, and the key that opens each after `g`.

export const PAGES = [
  { href: "/", word: "Home", key: "h" },
  { href: "/stories", word: "Stories", key: "s" },
  { href: "/pool", word: "Pool", key: "p" },
  { href: "/sessions", word: "Sessions", key: "n" },
  { href: "/timeline", word: "Timeline", key: "t" },
] as const;

export type PageHref = (typeof PAGES)[number]["href"];
