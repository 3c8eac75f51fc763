import { Link } from "wouter";
import type { RunDetail } from "../../protocol/details.ts";
import { Empty, Panel } from "../parts/layout.tsx";
import { Sentence } from "../parts/text/sentence.tsx";
import { StateBadge } from "../parts/state-mark.tsx";
import { Ago, Elapsed } from "../parts/time.tsx";
import { count, money, tokens } from "../words/format.ts";
import { isAtWork, runLook } from "../words/states.ts";
import type { TabProps } from "./story-page.tsx";

export function RunsTab({ story, detail: { runs } }: TabProps) {
  if (runs.length === 0) return <Empty>No runs yet.</Empty>;
  return (
    <Panel className="overflow-x-auto">
      <table className="figure w-full text-left text-sm md:min-w-[46rem]">
        <thead className="text-xs text-faint">
          <tr className="border-b border-line">
            <Head>Outcome</Head>
            <Head>Started</Head>
            <Head>Duration</Head>
            <Head isWide>Model</Head>
            <Head isWide isNumber>
              Agent runs
            </Head>
            <Head isWide isNumber>
              Tokens in
            </Head>
            <Head isWide isNumber>
              Tokens out
            </Head>
            <Head isNumber>Cost</Head>
            <Head>Log</Head>
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {runs
            .toSorted((one, other) => other.startedAt.localeCompare(one.startedAt))
            .map((run) => (
              <RunRow
                key={run.id}
                story={story.id}
                run={run}
                isLive={isAtWork(story) && run.id === story.run?.id}
              />
            ))}
        </tbody>
      </table>
    </Panel>
  );
}

function RunRow({ story, run, isLive }: { story: string; run: RunDetail; isLive: boolean }) {
  const isOver = run.endedAt !== undefined || isLive;
  return (
    <tr>
      <td className={`${CELL} py-2.5`}>
        <StateBadge look={runLook(run.outcome, run.endedAt, isLive)} />
        {run.reason !== undefined && (
          <p className="mt-1 max-w-sm text-xs text-soft">
            <Sentence text={run.reason} />
          </p>
        )}
        <p className="mt-1 text-2xs text-faint md:hidden">
          {[run.model, count(run.cycles, "agent run"), tokensText(run)].filter(Boolean).join(", ")}
        </p>
      </td>
      <td className={`${CELL} text-soft`}>
        <Ago at={run.startedAt} />
      </td>
      <td className={CELL}>
        {isOver ? <Elapsed from={run.startedAt} to={run.endedAt} /> : "unknown"}
      </td>
      <td className={`${WIDE} font-mono text-xs text-soft`}>{run.model ?? ""}</td>
      <td className={`${WIDE} text-right`}>{run.cycles}</td>
      <td className={`${WIDE} text-right text-soft`}>{tokens(run.inputTokens)}</td>
      <td className={`${WIDE} text-right text-soft`}>{tokens(run.outputTokens)}</td>
      <td className={`${CELL} text-right font-medium`}>{money(run.costUsd, run.costIsEstimate)}</td>
      <td className={CELL}>
        <Link
          href={`/story/${story}/log?run=${encodeURIComponent(run.id)}`}
          data-row=""
          aria-label={`Log of the run ${run.id}`}
          className="text-accent hover:underline"
        >
          Log
        </Link>
      </td>
    </tr>
  );
}

/** On a phone these columns move into a line below the outcome, so that the cost stays visible. */
const CELL = "px-2 first:pl-4 last:pr-4 not-first:whitespace-nowrap md:px-4";
const WIDE = `${CELL} hidden md:table-cell`;

const tokensText = ({ inputTokens, outputTokens }: RunDetail): string =>
  `${tokens(inputTokens)} in, ${tokens(outputTokens)} out`;

function Head({
  children,
  isNumber = false,
  isWide = false,
}: {
  children: string;
  isNumber?: boolean;
  isWide?: boolean;
}) {
  return (
    <th
      scope="col"
      className={`${isWide ? WIDE : CELL} py-2.5 font-medium whitespace-nowrap ${isNumber ? "text-right" : ""}`}
    >
      {children}
    </th>
  );
}
