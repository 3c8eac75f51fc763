// What the agents of one run have spent. It is estimated with each answer of the model, at list prices, so that
// a run that is stopped or killed is billed too. Claude Code's bill replaces the estimate, and the difference
// between the two calibrates the next estimate for that model.

import { addAmounts, negative, rounded, type Amounts as ByName } from "../story/money/amounts.ts";
import type { Run } from "../story/state/run.ts";
import type { Agent, Bill, Usage, UsageMeter } from "./agent.ts";

/** The part of a run's record that holds its cost. */
export interface CostAccount {
  readonly run: () => Pick<Run, "costUsd" | "costByModel" | "inputTokens" | "outputTokens">;
  readonly update: (change: Partial<Run>, options?: { readonly isDurable?: boolean }) => void;
}

export interface CostMeter {
  /** For one agent. The bill of a resumed conversation includes what was paid before. */
  readonly start: (resumed: string | undefined) => AgentMeter;
  /** What an earlier run paid for a conversation that is resumed. */
  readonly paidBefore: (conversation: string, bill: Bill) => void;
}

export interface AgentMeter extends UsageMeter {
  readonly spentUsd: () => number;
  /** The amounts of the whole conversation, if a part of it was not billed. */
  readonly unbilled: () => Amounts | undefined;
}

type Amounts = Pick<Bill, "costUsd" | "inputTokens" | "outputTokens">;

/** The amounts booked for a conversation so far. */
interface Booking {
  amounts: Amounts;
  /** The cost by model, in the same sum. */
  models: ByName;
  isEstimate: boolean;
  /** From the last bill. */
  byModel: Bill["byModel"];
}

export function newCostMeter(account: CostAccount, { priceOf }: Pick<Agent, "priceOf">): CostMeter {
  const conversations = new Map<string, Booking>();
  const bookings = new Set<Booking>();
  const calibration = newCalibration(priceOf);
  const newBooking = (): Booking => ({
    amounts: NOTHING,
    models: {},
    isEstimate: false,
    byModel: {},
  });
  return {
    paidBefore: (conversation, { byModel, ...amounts }) =>
      void conversations.set(conversation, {
        amounts,
        models: scaled(byModel, amounts.costUsd),
        isEstimate: false,
        byModel,
      }),
    start(resumed) {
      const booking = (resumed && conversations.get(resumed)) || newBooking();
      bookings.add(booking);
      return meterAgent(booking, {
        calibration,
        named: (conversation) => void conversations.set(conversation, booking),
        book(amounts, models, isEstimate) {
          const run = account.run();
          const before = booking.amounts;
          const more = (name: keyof Amounts): number =>
            Math.max(0, rounded(run[name] + amounts[name] - before[name]));
          const costByModel = addAmounts(run.costByModel ?? {}, models, negative(booking.models));
          booking.amounts = amounts;
          booking.models = models;
          booking.isEstimate = isEstimate;
          const change = {
            costUsd: more("costUsd"),
            costByModel,
            inputTokens: more("inputTokens"),
            outputTokens: more("outputTokens"),
            costIsEstimate: [...bookings].some((one) => one.isEstimate),
          };
          // Written with every answer, so that a kill loses none. Estimates are not synced to disk each time.
          account.update(change, { isDurable: !isEstimate });
        },
      });
    },
  };
}

const NOTHING: Amounts = { costUsd: 0, inputTokens: 0, outputTokens: 0 };

interface Answer {
  usage: Usage;
  characters: number;
}

interface MeterOptions {
  readonly calibration: Calibration;
  readonly named: AgentMeter["named"];
  readonly book: (amounts: Amounts, models: ByName, isEstimate: boolean) => void;
}

function meterAgent(booking: Booking, { calibration, named, book }: MeterOptions): AgentMeter {
  const atStart = booking.amounts;
  const wasEstimate = booking.isEstimate;
  /** The billed amounts, or an earlier agent's estimate. */
  let known = atStart;
  let knownModels = booking.models;
  let isKnown = !wasEstimate;
  /** The answers since the last bill, by id. */
  let answers = new Map<string, Answer>();
  return {
    named,
    used(usage) {
      const { characters = 0 } = answers.get(usage.answerId) ?? {};
      answers.set(usage.answerId, { usage, characters: characters + usage.characters });
      const counted = [...answers.values()].map(withOutput);
      const costs = counted.map((one) => amountsOf(one, calibration));
      const models = costs.map(({ costUsd }, at) => ({
        [nameOf(counted[at]?.model ?? "")]: costUsd,
      }));
      book(sum([known, ...costs]), addAmounts(knownModels, ...models), true);
    },
    billed({ byModel, ...amounts }) {
      const counted = [...answers.values()].map(withOutput);
      if (isKnown) calibration.learn(counted, byModel, booking.byModel);
      // The bill may lack what a killed agent spent: the amounts never go down then.
      isKnown = amounts.costUsd >= atStart.costUsd || !wasEstimate;
      known = atLeast(amounts, atStart);
      knownModels = scaled(byModel, known.costUsd);
      answers = new Map();
      booking.byModel = byModel;
      book(known, knownModels, !isKnown);
    },
    spentUsd: () => booking.amounts.costUsd - atStart.costUsd,
    unbilled: () => (answers.size > 0 ? booking.amounts : undefined),
  };
}

/** A bill may list its models without the rest of its cost: the parts add up to the whole. */
function scaled(byModel: Bill["byModel"], costUsd: number): ByName {
  const names = Object.entries(byModel).map(([model, cost]) => ({ [nameOf(model)]: cost }));
  const total = Object.values(byModel).reduce((all, cost) => all + cost, 0);
  if (total <= 0) return {};
  const whole = addAmounts(...names);
  return Object.fromEntries(
    Object.entries(whole).map(([name, cost]) => [name, rounded((cost * costUsd) / total)]),
  );
}

/** While an answer is streamed, its usage counts only one or two output tokens. */
const CHARACTERS_PER_TOKEN = 4;

const withOutput = ({ usage, characters }: Answer): Usage => ({
  ...usage,
  outputTokens: Math.max(usage.outputTokens, Math.ceil(characters / CHARACTERS_PER_TOKEN)),
});

const amountsOf = (usage: Usage, { estimate }: Calibration): Amounts => ({
  costUsd: estimate(usage),
  inputTokens: usage.inputTokens,
  outputTokens: usage.outputTokens,
});

const sum = (all: readonly Amounts[]): Amounts => ({
  costUsd: all.reduce((total, { costUsd }) => total + costUsd, 0),
  inputTokens: all.reduce((total, { inputTokens }) => total + inputTokens, 0),
  outputTokens: all.reduce((total, { outputTokens }) => total + outputTokens, 0),
});

const atLeast = (one: Amounts, other: Amounts): Amounts => ({
  costUsd: Math.max(one.costUsd, other.costUsd),
  inputTokens: Math.max(one.inputTokens, other.inputTokens),
  outputTokens: Math.max(one.outputTokens, other.outputTokens),
});

interface Calibration {
  /** The list price, times billed cost divided by list price for this model so far. */
  readonly estimate: (usage: Usage) => number;
  readonly learn: (
    answers: readonly Usage[],
    reported: Bill["byModel"],
    before: Bill["byModel"],
  ) => void;
}

/** A bill that differs more is for something else. */
const MAX_FACTOR = 5;
const NO_BILL = { reported: 1, estimated: 1 };

function newCalibration(priceOf: Agent["priceOf"]): Calibration {
  const totals = new Map<string, { readonly reported: number; readonly estimated: number }>();
  return {
    estimate(usage) {
      const { reported, estimated } = totals.get(nameOf(usage.model)) ?? NO_BILL;
      const factor = Math.min(MAX_FACTOR, Math.max(1 / MAX_FACTOR, reported / estimated));
      return priceOf(usage) * factor;
    },
    learn(answers, reported, before) {
      for (const [model, costUsd] of Object.entries(reported)) {
        const own = answers.filter((answer) => nameOf(answer.model) === nameOf(model));
        const estimated = own.reduce((total, usage) => total + priceOf(usage), 0);
        const more = costUsd - (before[model] ?? 0);
        if (estimated <= 0 || more <= 0) continue;
        const { reported: reportedBefore = 0, estimated: estimatedBefore = 0 } =
          totals.get(nameOf(model)) ?? {};
        totals.set(nameOf(model), {
          reported: reportedBefore + more,
          estimated: estimatedBefore + estimated,
        });
      }
    },
  };
}

/** Without the variant that a bill may add, as in `claude-opus-5-5[1m]`. */
const nameOf = (model: string): string => model.replace(/\[.*$/, "");

/** The cost limit minus what the run has spent. Never 0, so that it remains a limit. */
export const budgetLeft = ({
  request,
  record,
}: {
  readonly request: { readonly maxCostUsd: number | undefined };
  readonly record: Pick<CostAccount, "run">;
}): number | undefined =>
  request.maxCostUsd === undefined
    ? undefined
    : Math.max(request.maxCostUsd - record.run().costUsd, 0.0001);
