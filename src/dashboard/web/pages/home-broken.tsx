import { isSameList, useDerived } from "../live/hooks.ts";
import { Panel, Section } from "../parts/layout.tsx";
import { ProblemLine } from "../parts/problem-line.tsx";

/** Files that cannot be read: shown, never hidden. Everything else goes on without them. */
export function BrokenFiles() {
  const problems = useDerived(({ problems }) => Object.values(problems), isSameList);
  if (problems.length === 0) return null;
  return (
    <Section title="Broken files" count={problems.length}>
      <Panel>
        <ul className="divide-y divide-line">
          {problems.map((problem) => (
            <ProblemLine
              key={`${problem.file}:${problem.line}:${problem.message}`}
              problem={problem}
            />
          ))}
        </ul>
      </Panel>
    </Section>
  );
}
