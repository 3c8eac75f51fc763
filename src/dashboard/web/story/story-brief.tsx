// What the story is about, and what has to hold before it counts.

import { Section } from "../parts/layout.tsx";
import { Markdown } from "../parts/text/markdown.tsx";
import { Fact, Lines } from "./fact.tsx";
import { Standing } from "./standing.tsx";
import type { TabProps } from "./story-page.tsx";
import { Unverified } from "./unverified.tsx";

export function StoryBrief({ story, detail }: TabProps) {
  const needs = [
    detail.needsTesting && "a tester's word",
    detail.needsReview && "a reviewer's word",
  ].filter((one) => one !== false);
  return (
    <Section title="About">
      <div className="space-y-5">
        <Markdown text={detail.description} />
        {(story.state === "review" || detail.objections.length > 0) && (
          <div className="space-y-1">
            <h3 className="text-xs font-medium text-faint">In the way of a merge</h3>
            <Standing detail={detail} />
            {detail.missing.length > 0 && <Unverified story={story} detail={detail} />}
          </div>
        )}
        <Fact word="Guidance" text={detail.guidance} />
        <Fact word="Done when" text={detail.doneWhen} />
        <Fact word="Avoid" text={detail.avoid} />
        <Lines word="Checks" lines={detail.checks} />
        <Lines word="May write" lines={detail.writeFiles} />
        {needs.length > 0 && <Fact word="Needs" text={needs.join(" and ")} />}
      </div>
    </Section>
  );
}
