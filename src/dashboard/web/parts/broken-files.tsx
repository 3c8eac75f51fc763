import type { ProblemCard } from "../../protocol/messages.ts";
import { Panel, Section } from "./layout.tsx";
import { Sentence } from "./text/sentence.tsx";
import { StateMark } from "./state-mark.tsx";

const BROKEN = { word: "Broken", tone: "bad", mark: "cross" } as const;

/** Invalid files. Everything else works without them. */
export function BrokenFiles({ problems }: { problems: readonly ProblemCard[] }) {
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

function ProblemLine({ problem: { file, line, message } }: { problem: ProblemCard }) {
  return (
    <li className="flex items-start gap-3 px-4 py-2.5 text-sm md:px-5">
      <StateMark look={BROKEN} className="mt-0.5 size-4" />
      <div className="min-w-0">
        <code className="font-mono text-xs">
          {file}
          {line !== undefined && `:${line}`}
        </code>
        <p className="text-soft">
          <Sentence text={message} />
        </p>
      </div>
    </li>
  );
}
