import { Link } from "wouter";
import { useDerived } from "../live/hooks.ts";
import { entryPlace, isSamePlace } from "./entry-place.ts";

/** The title of an entry, as a link to its page. */
export function EntryName({ name, className = "" }: { name: string; className?: string }) {
  const { title, href } = useDerived((entities) => entryPlace(entities, name), isSamePlace);
  if (href === undefined) return <span className={className}>{title}</span>;
  return (
    <Link href={href} title={name} className={`hover:text-accent ${className}`}>
      {title}
    </Link>
  );
}
