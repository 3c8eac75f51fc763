import { Link } from "wouter";
import { count } from "../words/format.ts";

/** The last row of a shortened list: a link to the rest. */
function More({
  hidden,
  one,
  many,
  href,
}: {
  hidden: number;
  one: string;
  many: string;
  href: string;
}) {
  if (hidden <= 0) return null;
  return (
    <Link
      href={href}
      data-row=""
      className="block px-5 py-3 text-sm text-accent -outline-offset-2 hover:bg-hover"
    >
      {count(hidden, one, many)}
    </Link>
  );
}

export const MoreStories = (rest: { hidden: number; href: string }) => (
  <More one="more story" many="more stories" {...rest} />
);

export const MoreTasks = (rest: { hidden: number; href: string }) => (
  <More one="more pool task" many="more pool tasks" {...rest} />
);
