// What runs have cost: by day, epic, story and model, and what is left of the budgets.

import { useState } from "react";
import { Link } from "wouter";
import type { SpendingGroup, SpendingRow } from "../../../story/money/spending.ts";
import { budgetLevel, type BudgetLevel, type DayBudget } from "../../../story/money/day-budget.ts";
import type { Costs } from "../../protocol/details.ts";
import { useDerived, useDetail } from "../live/hooks.ts";
import { Command } from "../parts/copy.tsx";
import { Select } from "../parts/field.tsx";
import { Empty, Loading, Page, Panel, Section } from "../parts/layout.tsx";
import { Legend } from "../parts/legend.tsx";
import { Sentence } from "../parts/text/sentence.tsx";
import { count, money, percent } from "../words/format.ts";

const PERIODS = [
  { value: "7", word: "Last 7 days" },
  { value: "30", word: "Last 30 days" },
  { value: "90", word: "Last 90 days" },
] as const;
type Period = (typeof PERIODS)[number]["value"];

export function CostsPage() {
  const [days, setDays] = useState<Period>("30");
  // Every cost is part of today's, and fetched again when that has changed by a cent.
  const version = useDerived(({ project }) =>
    Math.round((project["project"]?.costTodayUsd ?? 0) * 100),
  );
  const { value: costs, error } = useDetail<Costs>(`/api/costs?days=${days}`, version);
  return (
    <Page
      title="Costs"
      aside={<Select label="Period" value={days} options={PERIODS} onChange={setDays} />}
    >
      {error !== undefined && <p className="mb-4 text-sm text-bad">{error}</p>}
      {costs === undefined ? (
        error === undefined && <Loading what="the costs" />
      ) : (
        <>
          <Budget costs={costs} />
          <p className="mb-6 text-sm text-soft">
            <span className="figure text-lg font-semibold text-ink">
              {money(costs.total.costUsd, costs.total.isEstimate)}
            </span>{" "}
            in {count(costs.total.runs, "run")}
          </p>
          <div className="grid grid-cols-1 gap-x-8 lg:grid-cols-2">
            <Spending title="By day" by="day" rows={costs.by.day} />
            <Spending title="By story" by="story" rows={costs.by.story} />
            <Spending title="By epic" by="epic" rows={costs.by.epic} />
            <Spending title="By model" by="model" rows={costs.by.model} />
          </div>
        </>
      )}
    </Page>
  );
}

const LEVELS: Readonly<Record<BudgetLevel, { readonly fill: string; readonly text: string }>> = {
  free: { fill: "bg-good-mark", text: "At 80 % you are notified." },
  near: { fill: "bg-ask-mark", text: "More than 80 % is spent." },
  spent: {
    fill: "bg-bad-mark",
    text: "The budget is spent: no story starts, and running ones are stopped. Their work is kept.",
  },
};
const RESERVED = "border border-active-mark bg-accent-wash";

function Budget({ costs: { today, epicBudgetUsd } }: { costs: Costs }) {
  return (
    <Section title="Budget of today">
      <Panel className="px-4 py-3.5 md:px-5">
        {today === undefined ? (
          <div className="max-w-xl">
            <p className="mb-2 text-sm text-soft">No budget for a day is set.</p>
            <Command>saga config set budget.day 20</Command>
          </div>
        ) : (
          <DayBar today={today} />
        )}
        {epicBudgetUsd > 0 && (
          <p className="mt-3 text-sm text-soft">
            <Sentence
              text={`One run of an epic may cost ${money(epicBudgetUsd)} (\`budget.epic\`).`}
            />
          </p>
        )}
      </Panel>
    </Section>
  );
}

function DayBar({ today: { budgetUsd, spentUsd, reservedUsd, running } }: { today: DayBudget }) {
  const level = LEVELS[budgetLevel(budgetUsd, spentUsd)];
  const label = `${money(spentUsd)} spent and ${money(reservedUsd)} reserved of ${money(budgetUsd)}`;
  const spent = Math.min(100, percent(spentUsd, budgetUsd));
  const reserved = Math.min(100 - spent, percent(reservedUsd, budgetUsd));
  return (
    <>
      <p className="figure mb-2 text-sm">
        <span className="text-lg font-semibold">{money(spentUsd)}</span>{" "}
        <span className="text-soft">of {money(budgetUsd)}</span>
      </p>
      <span
        role="img"
        aria-label={label}
        className="flex h-2.5 w-full overflow-hidden rounded-full bg-sunken"
      >
        <span className={level.fill} style={{ width: `${spent}%` }} />
        <span className={RESERVED} style={{ width: `${reserved}%` }} />
      </span>
      <Legend
        className="mt-2.5"
        entries={[
          { key: "spent", word: `${money(spentUsd)} spent`, fill: level.fill },
          {
            key: "reserved",
            word: `${money(reservedUsd)} reserved for ${count(running, "running story", "running stories")}`,
            fill: RESERVED,
          },
        ]}
      />
      <p className="mt-2 text-sm text-soft">{level.text}</p>
    </>
  );
}

/** The rest is in `saga cost`. */
const MAX_ROWS = 15;

function Spending({
  title,
  by,
  rows,
}: {
  title: string;
  by: SpendingGroup;
  rows: readonly SpendingRow[];
}) {
  const most = Math.max(...rows.map(({ costUsd }) => costUsd), 0);
  return (
    <Section title={title}>
      {rows.length === 0 ? (
        <Empty>Nothing was spent.</Empty>
      ) : (
        <Panel className="divide-y divide-line">
          {rows.slice(0, MAX_ROWS).map((row) => (
            <Row key={row.name} row={row} by={by} most={most} />
          ))}
          {rows.length > MAX_ROWS && (
            <p className="px-4 py-2 text-sm text-faint">
              <Sentence text={`${rows.length - MAX_ROWS} more: \`saga cost --by ${by}\``} />
            </p>
          )}
        </Panel>
      )}
    </Section>
  );
}

function Row({ row, by, most }: { row: SpendingRow; by: SpendingGroup; most: number }) {
  const { name, costUsd, isEstimate, runs } = row;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 px-4 py-2 text-sm">
      <span className="truncate">
        <RowName name={name} by={by} />
      </span>
      <span className="figure text-right">
        {money(costUsd, isEstimate)}
        <span className="ml-2 inline-block min-w-14 text-xs text-faint">{count(runs, "run")}</span>
      </span>
      <span aria-hidden="true" className="col-span-2 h-1 rounded-full bg-sunken">
        <span
          className="block h-full rounded-full bg-accent"
          style={{ width: `${Math.max(1, percent(costUsd, most))}%` }}
        />
      </span>
    </div>
  );
}

function RowName({ name, by }: { name: string; by: SpendingGroup }) {
  const href = useDerived(({ stories, epics }) => {
    if (by === "story" && Object.hasOwn(stories, name)) return `/story/${name}`;
    return by === "epic" && Object.hasOwn(epics, name) ? `/epic/${name}` : undefined;
  });
  const className = by === "day" ? "figure" : "font-mono text-xs";
  if (href === undefined) return <span className={className}>{name}</span>;
  return (
    <Link href={href} data-row="" className={`${className} hover:text-accent`}>
      {name}
    </Link>
  );
}
