import type { Receipt } from "../../../../story/receipts/receipt.ts";
import { findingText } from "../../../../story/receipts/finding-text.ts";
import { plainText } from "../../log/plain-text.ts";
import { Empty, Panel } from "../../parts/layout.tsx";
import { StateMark } from "../../parts/state-mark.tsx";
import { Ago } from "../../parts/time.tsx";
import { duration } from "../../words/format.ts";
import { groupReceipts } from "./receipt-groups.ts";
import { MergeStatus } from "../merge-status.tsx";
import type { TabProps } from "../story-page.tsx";
import { Unverified } from "../unverified.tsx";

const PASSED = { word: "Passed", tone: "good", mark: "check" } as const;
const NOT_PASSED = { word: "Not passed", tone: "bad", mark: "cross" } as const;
const GATES: Readonly<Record<Receipt["gate"], string>> = {
  check: "Check",
  diff: "Diff",
  test: "Tester",
  review: "Reviewer",
  person: "Person",
};

export function ReceiptsTab({ story, detail }: TabProps) {
  if (detail.receipts.length === 0) {
    return detail.unverified > 0 ? (
      <Unverified story={story} detail={detail} />
    ) : (
      <Empty>No checks have run yet.</Empty>
    );
  }
  const { current, older } = groupReceipts(detail.receipts, detail.tree);
  return (
    <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,1.8fr)_minmax(16rem,1fr)]">
      <div className="space-y-4">
        <Unverified story={story} detail={detail} />
        {current.length === 0 ? (
          <Empty>No checks have run on the current code.</Empty>
        ) : (
          <ReceiptRows receipts={current} />
        )}
        {older.length > 0 && (
          <details>
            <summary className="mb-2 text-sm text-soft hover:text-ink">
              Older receipts ({older.length})
            </summary>
            <ReceiptRows receipts={older} />
          </details>
        )}
      </div>
      {story.state !== "completed" && (
        <section aria-label="Merge status">
          <h2 className="mb-2 text-xs font-medium text-faint">Merge status</h2>
          <MergeStatus detail={detail} />
        </section>
      )}
    </div>
  );
}

function ReceiptRows({ receipts }: { receipts: readonly Receipt[] }) {
  return (
    <Panel className="divide-y divide-line">
      {receipts.map((receipt, at) => (
        // Two receipts may be equal. Counted from the end, indexes stay the same.
        // oxlint-disable-next-line react/no-array-index-key
        <ReceiptRow key={receipts.length - at} receipt={receipt} />
      ))}
    </Panel>
  );
}

function ReceiptRow({ receipt }: { receipt: Receipt }) {
  const { gate, command, task, isPassed, how, tail, findings, overridden, tree, at, ms } = receipt;
  return (
    <article className="flex gap-3.5 px-4 py-3 md:px-5">
      <StateMark look={isPassed ? PASSED : NOT_PASSED} className="mt-0.5 size-[1.1rem]" />
      <div className="min-w-0 flex-1 text-sm">
        <p className="flex flex-wrap items-baseline gap-x-2.5">
          <span className="font-medium">{GATES[gate]}</span>
          {command !== undefined && <code className="font-mono text-xs">{plainText(command)}</code>}
          {how !== undefined && <span className="text-soft">{plainText(how)}</span>}
        </p>
        <p className="figure flex flex-wrap gap-x-2.5 text-xs text-faint">
          <Ago at={at} />
          <span>{ms < 1000 ? `${Math.round(ms)} ms` : duration(ms)}</span>
          {task !== undefined && <span className="font-mono">{task}</span>}
          <span className="font-mono" title={`Tree ${tree}`}>
            {tree.slice(0, 10)}
          </span>
        </p>
        {findings.map((finding) => (
          <p key={findingText(finding)} className="mt-1.5 text-soft">
            <code className="font-mono text-xs text-bad">{finding.rule}</code>{" "}
            {findingText(finding)}
          </p>
        ))}
        {overridden && (
          <p className="mt-1.5 text-soft">
            {overridden.who} overrode {overridden.rules.join(", ")}: {overridden.why}
          </p>
        )}
        {tail !== undefined && tail !== "" && <Tail text={tail} isOpen={!isPassed} />}
      </div>
    </article>
  );
}

function Tail({ text, isOpen }: { text: string; isOpen: boolean }) {
  return (
    <details className="mt-1.5" open={isOpen}>
      <summary className="text-xs text-faint hover:text-ink">Last output</summary>
      <pre
        tabIndex={0}
        className="mt-1 max-h-60 overflow-auto rounded-lg bg-sunken p-3 font-mono text-xs whitespace-pre-wrap"
      >
        {plainText(text)}
      </pre>
    </details>
  );
}
