import type { ProblemCard } from "../../protocol.ts";
import { Panel, Section } from "../parts/layout.tsx";
import { ProblemLine } from "../parts/problem-line.tsx";

export function StoryProblems({ problems }: { problems: readonly ProblemCard[] }) {
  if (problems.length === 0) return null;
  return (
    <Section title="Broken files" count={problems.length}>
      <Panel>
        <ul className="divide-y divide-line">
          {problems.map((problem) => (
            <ProblemLine key={`${problem.file}:${problem.message}`} problem={problem} />
          ))}
        </ul>
      </Panel>
    </Section>
  );
}
