import type { ProblemCard } from "../../protocol.ts";
import { Sentence } from "./sentence.tsx";
import { StateMark } from "./state-mark.tsx";

const BROKEN = { word: "Broken", tone: "bad", mark: "cross" } as const;

export function ProblemLine({ problem: { file, line, message } }: { problem: ProblemCard }) {
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
