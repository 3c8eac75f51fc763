import { Link } from "wouter";
import { count } from "../words/format.ts";

/** The last row of a list that shows only its first: the way to the rest, if there is one. */
export function MoreStories({ hidden, href }: { hidden: number; href: string }) {
  if (hidden <= 0) return null;
  return (
    <Link
      href={href}
      data-row=""
      className="block px-5 py-3 text-sm text-accent -outline-offset-2 hover:bg-hover"
    >
      {count(hidden, "more story", "more stories")}
    </Link>
  );
}
