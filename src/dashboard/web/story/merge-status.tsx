import type { StoryDetail } from "../../protocol/details.ts";
import { StateMark } from "../parts/state-mark.tsx";

const MISSING = { word: "Missing", tone: "ask", mark: "dotted" } as const;
const BLOCKER = { word: "Blocker", tone: "bad", mark: "cross" } as const;
const CLEAR = { word: "Ready", tone: "good", mark: "check" } as const;

/** What blocks the merge of the story's current code. */
export function MergeStatus({ detail }: { detail: StoryDetail }) {
  const { missing, mergeBlockers } = detail;
  return (
    <div className="rounded-xl border border-line px-4 py-3 text-sm">
      <ul className="space-y-1.5">
        {missing.map((text) => (
          <li key={text} className="flex gap-2.5">
            <StateMark look={MISSING} className="mt-0.5 size-4" />
            {text}
          </li>
        ))}
        {mergeBlockers.map(({ rule, message }) => (
          <li key={`${rule} ${message}`} className="flex gap-2.5">
            <StateMark look={BLOCKER} className="mt-0.5 size-4" />
            <span>
              {message} <code className="font-mono text-xs text-faint">{rule}</code>
            </span>
          </li>
        ))}
        {missing.length + mergeBlockers.length === 0 && (
          <li className="flex gap-2.5">
            <StateMark look={CLEAR} className="mt-0.5 size-4" />
            Ready to merge
          </li>
        )}
      </ul>
    </div>
  );
}
