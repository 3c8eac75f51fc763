// What waits for review, the riskiest first, with the reasons. The page judges it with the same function.

import type { Context } from "../../context.ts";
import { readReviewFacts } from "../../dashboard/views/review-facts.ts";
import { readReceipts } from "../../store/runs/receipts.ts";
import type { StoryView } from "../../store/views/overview.ts";
import { byRisk, type ReviewRisk, type RiskLevel } from "../../story/review/review-risk.ts";
import { columns, plain, short, stateMark, type Paint } from "./terminal.ts";

export interface Review {
  readonly id: string;
  readonly title: string;
  /** Undefined if its work cannot be read. */
  readonly risk: ReviewRisk | undefined;
}

export async function readReviews(
  { store, env }: Pick<Context, "store" | "env">,
  views: Iterable<StoryView>,
): Promise<Review[]> {
  const context = { store, env, now: Date.now };
  const waiting = [...views].filter(({ state }) => state === "review");
  const reviews: Review[] = [];
  for (const { record, epicId: epic } of waiting) {
    const { id, story } = record;
    const facts = await store
      .readStory(id)
      .then(async (whole) => {
        const { receipts } = await readReceipts(context, id);
        return readReviewFacts(context, whole, { epic, receipts });
      })
      // A story whose work cannot be read is listed without a risk.
      .catch(() => undefined);
    reviews.push({ id, title: story.title, risk: facts?.risk });
  }
  return reviews.toSorted(byRisk);
}

const STYLES: Readonly<Record<RiskLevel, "red" | "yellow" | "green">> = {
  high: "red",
  medium: "yellow",
  low: "green",
};

export function reviewLines(reviews: readonly Review[], paint: Paint): string[] {
  if (reviews.length === 0) return ["Nothing waits for review."];
  const heads = columns(reviews.map(({ id, title, risk }) => [id, levelText(risk), plain(title)]));
  return reviews.flatMap(({ risk }, at) => [
    `  ${stateMark("review", paint)} ${coloured(heads[at] ?? "", risk, paint)}`,
    ...(risk?.reasons ?? []).map(({ text }) => paint("dim", `      ${short(text)}`)),
  ]);
}

const levelText = (risk: ReviewRisk | undefined): string =>
  risk === undefined ? "risk unknown" : `${risk.level} risk`;

const coloured = (line: string, risk: ReviewRisk | undefined, paint: Paint): string =>
  risk === undefined
    ? line
    : line.replace(levelText(risk), (text) => paint(STYLES[risk.level], text));
