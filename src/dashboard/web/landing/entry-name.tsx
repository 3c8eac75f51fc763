import { Link } from "wouter";
import { useDerived } from "../live/hooks.ts";
import { entryPlace, isSamePlace } from "./entry-place.ts";

/** The title of an entry, as a link to its page. `isRow`: j and k step to it. */
export function EntryName({
  name,
  isRow = false,
  className = "",
}: {
  name: string;
  isRow?: boolean;
  className?: string;
}) {
  const { title, href } = useDerived((entities) => entryPlace(entities, name), isSamePlace);
  if (href === undefined) return <span className={className}>{title}</span>;
  return (
    <Link
      href={href}
      title={name}
      {...(isRow && { "data-row": "" })}
      className={`hover:text-accent ${className}`}
    >
      {title}
    </Link>
  );
}
