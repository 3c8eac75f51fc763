import { Link } from "wouter";
import { useEntity } from "../live/hooks.ts";
import type { FleetStoryCard } from "../../protocol/fleet.ts";
import { StateMark } from "../parts/state-mark.tsx";
import { storyLook } from "../words/story-look.ts";
import { workWord } from "./words.ts";

/** Its name and state come from git, who works on it from the database. */
export function FleetStory({ story }: { story: FleetStoryCard }) {
  const card = useEntity("stories", story.story);
  return (
    <article
      aria-label={story.story}
      className="grid grid-cols-1 items-center gap-x-4 gap-y-0.5 px-4 py-3 md:grid-cols-[minmax(0,1fr)_20rem] md:px-5"
    >
      <p className="flex min-w-0 items-center gap-2">
        {card && <StateMark look={storyLook(card)} />}
        <Link
          href={`/story/${story.story}`}
          data-row=""
          className="truncate font-medium hover:text-accent"
        >
          {card?.title ?? story.story}
        </Link>
      </p>
      <p className="pl-6 text-sm text-soft md:pl-0 md:text-right">
        {workWord(story, card?.state === "review")}
      </p>
    </article>
  );
}
