import { Section } from "../parts/layout.tsx";
import { RiskReasons } from "../review/risk-badge.tsx";
import { Markdown } from "../parts/text/markdown.tsx";
import { Fact, Lines } from "./fact.tsx";
import { MergeStatus } from "./merge-status.tsx";
import type { TabProps } from "./story-page.tsx";
import { Unverified } from "./unverified.tsx";

export function StoryBrief({ story, detail }: TabProps) {
  const needs = [
    detail.needsTesting && "tester approval",
    detail.needsReview && "reviewer approval",
  ].filter((one) => one !== false);
  return (
    <Section title="About">
      <div className="space-y-5">
        <Markdown text={detail.description} />
        {(story.state === "review" || detail.mergeBlockers.length > 0) && (
          <div className="space-y-1">
            <h3 className="text-xs font-medium text-faint">Merge status</h3>
            <MergeStatus detail={detail} />
            {detail.missing.length > 0 && <Unverified story={story} detail={detail} />}
          </div>
        )}
        {story.risk && (
          <div className="space-y-1">
            <h3 className="text-xs font-medium text-faint">Review with care</h3>
            <RiskReasons risk={story.risk} />
          </div>
        )}
        <Fact word="Guidance" text={detail.guidance} />
        <Fact word="Done when" text={detail.doneWhen} />
        <Fact word="Avoid" text={detail.avoid} />
        <Lines word="Checks" lines={detail.checks} />
        <Lines word="Allowed files" lines={detail.writeFiles} />
        {needs.length > 0 && <Fact word="Needs" text={needs.join(" and ")} />}
      </div>
    </Section>
  );
}
