import { InvalidArgumentError, Option } from "commander";
import { readCosts } from "../../../store/money/read-costs.ts";
import {
  SPENDING_GROUPS,
  spendingBy,
  spentSince,
  totalOf,
  type RunCost,
  type SpendingGroup,
} from "../../../story/money/spending.ts";
import { localDay } from "../../../text/local-day.ts";
import { count } from "../../../text/plural.ts";
import { usd } from "../../../text/usd.ts";
import type { Build } from "../../program/command.ts";
import { columns, plain, type Paint } from "../../output/terminal.ts";

interface Options {
  readonly by: SpendingGroup;
  readonly since?: string;
}

export const build: Build = (builder) =>
  builder.action(
    builder
      .command("cost", "Show what runs have cost, by day, epic, story or model.", [
        "saga cost                          by day",
        "saga cost --by story --since 7     the last seven days",
        "saga cost --by model --since 2026-11-01",
      ])
      .addOption(
        new Option("--by <group>", "what to sum up by").choices(SPENDING_GROUPS).default("day"),
      )
      .option(
        "--since <date>",
        "only runs since a date (2026-11-01), or of this many last days (7)",
        sinceDay,
      ),
    async ({ openProject }, _, { by, since }: Options) => {
      const store = openProject();
      const { stories } = await store.overview();
      const epicOf = (story: string): string | undefined => stories.get(story)?.epicId;
      const sinceMs = since === undefined ? 0 : new Date(`${since}T00:00`).getTime();
      const all = readCosts(store.project, { sinceMs, epicOf });
      const costs = since === undefined ? all : spentSince(all, since);
      const today = totalOf(spentSince(all, localDay(Date.now())));
      const { budget } = await store.settings();
      const total = totalOf(costs);
      const rows = spendingBy(costs, by);
      return {
        json: { by, since, rows, total, today, budget },
        text: (paint) =>
          render({ costs, by, budgetUsd: budget.day, todayUsd: today.costUsd }, paint),
      };
    },
  );

interface Shown {
  readonly costs: readonly RunCost[];
  readonly by: SpendingGroup;
  readonly budgetUsd: number;
  readonly todayUsd: number;
}

function render({ costs, by, budgetUsd, todayUsd }: Shown, paint: Paint): string {
  const total = totalOf(costs);
  const rows = spendingBy(costs, by);
  const budget = budgetUsd > 0 ? [`Today: ${usd(todayUsd)} of ${usd(budgetUsd)} (budget.day)`] : [];
  if (rows.length === 0) return `${["Nothing was spent.", ...budget].join("\n")}\n`;
  const amounts = rows.map(({ costUsd, isEstimate }) => usd(costUsd, isEstimate));
  const widest = Math.max(
    ...[...amounts, usd(total.costUsd, total.isEstimate)].map((text) => text.length),
  );
  const lines = columns([
    ...rows.map(({ name, runs }, at) => [
      plain(name),
      (amounts[at] ?? "").padStart(widest),
      count(runs, "run"),
    ]),
    ["Total", usd(total.costUsd, total.isEstimate).padStart(widest), count(total.runs, "run")],
  ]);
  const last = lines.pop() ?? "";
  return `${[...lines, paint("bold", last), ...budget].join("\n")}\n`;
}

const DAY_MS = 86_400_000;

/** A date, or a number of days with today as the last. */
function sinceDay(text: string): string {
  if (/^\d{1,4}$/.test(text) && Number(text) > 0) {
    return localDay(Date.now() - (Number(text) - 1) * DAY_MS);
  }
  const isDate = /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
  if (isDate) return text;
  throw new InvalidArgumentError("Write a date (2026-11-01) or a number of days (7).");
}
