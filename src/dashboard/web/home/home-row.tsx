import type { ReactNode } from "react";
import { Link } from "wouter";
import type { StoryCard } from "../../protocol/messages.ts";
import { Id } from "../parts/layout.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import type { Look } from "../words/states.ts";
import { storyLook } from "../words/story-look.ts";

interface HomeRowProps {
  readonly look: Look;
  readonly href: string;
  readonly title: string;
  readonly id: string;
  /** One sentence or more below the title. */
  readonly about?: ReactNode;
  /** Its buttons and links. */
  readonly aside?: ReactNode;
  /** Below all of it. */
  readonly children?: ReactNode;
}

type StoryHomeRowProps = { readonly story: StoryCard } & Pick<
  HomeRowProps,
  "about" | "aside" | "children"
>;

export function StoryHomeRow({ story, ...rest }: StoryHomeRowProps) {
  const { id, title } = story;
  return <HomeRow look={storyLook(story)} href={`/story/${id}`} title={title} id={id} {...rest} />;
}

/** One thing that waits for a person: what it is, why, and what they can do. */
export function HomeRow({ look, href, title, id, about, aside, children }: HomeRowProps) {
  return (
    <article className="px-4 py-3.5 md:px-5" aria-label={title}>
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2.5">
        <StateMark look={look} className="mt-[3px] size-[1.1rem]" />
        <div className="min-w-0 flex-1 basis-64">
          <div className="flex flex-wrap items-baseline gap-x-2.5">
            <Link href={href} data-row="" className="font-medium hover:text-accent">
              {title}
            </Link>
            <Id>{id}</Id>
          </div>
          {about !== undefined && <div className="mt-0.5 text-sm text-soft">{about}</div>}
        </div>
        {aside !== undefined && (
          <div className="flex flex-wrap items-center gap-2 max-md:ml-8">{aside}</div>
        )}
      </div>
      {children}
    </article>
  );
}
