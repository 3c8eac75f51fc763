import { Link } from "wouter";
import type { RunDetail } from "../../protocol-details.ts";
import { Nothing, Panel } from "../parts/layout.tsx";
import { Sentence } from "../parts/sentence.tsx";
import { StateBadge } from "../parts/state-mark.tsx";
import { Ago, Lasted } from "../parts/time.tsx";
import { money, tokens } from "../words/format.ts";
import { isAtWork, runLook } from "../words/states.ts";
import type { TabProps } from "./story-page.tsx";

export function RunsTab({ story, detail: { runs } }: TabProps) {
  if (runs.length === 0) return <Nothing>Nobody has worked on it yet.</Nothing>;
  return (
    <Panel className="overflow-x-auto">
      <table className="figure w-full min-w-[46rem] text-left text-sm">
        <thead className="text-xs text-faint">
          <tr className="border-b border-line">
            <Head>Outcome</Head>
            <Head>Started</Head>
            <Head>Duration</Head>
            <Head>Model</Head>
            <Head isNumber>Cycles</Head>
            <Head isNumber>In</Head>
            <Head isNumber>Out</Head>
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
      <td className="px-4 py-2.5">
        <StateBadge look={runLook(run.outcome, run.endedAt, isLive)} />
        {run.reason !== undefined && (
          <p className="mt-1 max-w-sm text-xs text-soft">
            <Sentence text={run.reason} />
          </p>
        )}
      </td>
      <td className="px-4 text-soft">
        <Ago at={run.startedAt} />
      </td>
      <td className="px-4">
        {isOver ? <Lasted from={run.startedAt} to={run.endedAt} /> : "unknown"}
      </td>
      <td className="px-4 font-mono text-xs text-soft">{run.model ?? ""}</td>
      <td className="px-4 text-right">{run.cycles}</td>
      <td className="px-4 text-right text-soft">{tokens(run.inputTokens)}</td>
      <td className="px-4 text-right text-soft">{tokens(run.outputTokens)}</td>
      <td className="px-4 text-right font-medium">{money(run.costUsd, run.costIsEstimate)}</td>
      <td className="px-4">
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

function Head({ children, isNumber = false }: { children: string; isNumber?: boolean }) {
  return (
    <th
      scope="col"
      className={`px-4 py-2.5 font-medium whitespace-nowrap ${isNumber ? "text-right" : ""}`}
    >
      {children}
    </th>
  );
}
