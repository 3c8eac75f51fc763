import type { ReviewRisk, RiskLevel } from "../../../story/review/review-risk.ts";
import { Disclosure } from "../parts/disclosure.tsx";

const WORDS: Readonly<Record<RiskLevel, string>> = {
  low: "Low risk",
  medium: "Medium risk",
  high: "High risk",
};

const COLOURS: Readonly<Record<RiskLevel, string>> = {
  low: "bg-sunken text-soft",
  medium: "bg-ask-wash text-ask",
  high: "bg-bad-wash text-bad",
};

/** The level, with the first reason and how many more there are. */
export function RiskBadge({ risk }: { risk: ReviewRisk }) {
  const [first, ...more] = risk.reasons;
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-1 text-xs text-soft">
      <RiskLevelBadge level={risk.level} />
      {first && (
        <span className="line-clamp-2 min-w-0">
          {first.text}
          {more.length > 0 && ` (and ${more.length} more)`}
        </span>
      )}
    </span>
  );
}

const RiskLevelBadge = ({ level }: { level: RiskLevel }) => (
  <span
    className={`inline-flex h-5 shrink-0 items-center rounded-full px-2 text-2xs font-medium whitespace-nowrap ${COLOURS[level]}`}
  >
    {WORDS[level]}
  </span>
);

/** All reasons, behind the first. */
export function RiskReasons({ risk }: { risk: ReviewRisk }) {
  if (risk.reasons.length === 0) return <RiskLevelBadge level={risk.level} />;
  return (
    <div className="text-sm text-soft">
      <RiskLevelBadge level={risk.level} />
      <ul className="mt-2 space-y-1.5">
        {risk.reasons.map(({ kind, text, files }) => (
          <li key={`${kind} ${text}`}>
            {text}
            {files.length > 1 && (
              <Disclosure word="Files" className="ml-2 inline-block">
                <ul className="mt-1 font-mono text-xs">
                  {files.map((file) => (
                    <li key={file}>{file}</li>
                  ))}
                </ul>
              </Disclosure>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
