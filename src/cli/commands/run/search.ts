import { SagaError } from "../../../errors.ts";
import {
  HIT_KINDS,
  searchProject,
  type HitKind,
  type SearchHit,
  type SearchResult,
} from "../../../store/search/search.ts";
import { parseQuery } from "../../../story/search/query.ts";
import type { Build } from "../../program/command.ts";
import { listOption } from "../../program/list-option.ts";
import { wholeNumber } from "../../program/parse-number.ts";
import { plain, type Paint } from "../../output/terminal.ts";
import { stampOf } from "../../output/timestamp.ts";

interface Options {
  readonly in?: readonly HitKind[];
  readonly max?: number;
}

export const build: Build = (builder) =>
  builder.action(
    builder
      .command("search", "Search stories, tasks, journals and the logs of all runs.", [
        "saga search timeout",
        'saga search login "step 450"     all of these words; quotes make a phrase',
        "saga search argon2 --in journal log",
      ])
      .argument("<words...>", "what to look for; all words must be found")
      .addOption(listOption("--in <kinds...>", "only in these", HIT_KINDS))
      .option("--max <number>", "the most results to show (default 50)", wholeNumber(1)),
    async ({ openProject }, words, options: Options) => {
      // A shell removes the quotes of a phrase: an argument with a space was one.
      const text = words.map((word) => (/\s/.test(word) ? `"${word}"` : word)).join(" ");
      if (parseQuery(text).words.length === 0) {
        throw new SagaError("usage", "There is no word to search for.", {
          hint: "Write it as `saga search timeout`.",
        });
      }
      const { in: kinds, max } = options;
      const result = await searchProject(openProject(), text, {
        kinds,
        ...(max !== undefined && { maxHits: max }),
      });
      return { json: result, text: (paint) => render(result, paint) };
    },
  );

function render({ hits, isCut }: SearchResult, paint: Paint): string {
  if (hits.length === 0) return "Nothing found.\n";
  const nowMs = Date.now();
  const lines = hits.flatMap((hit) => [
    `${paint("cyan", hit.kind.padEnd(KIND_WIDTH))} ${paint("bold", plain(placeOf(hit)))}${dateOf(hit, nowMs, paint)}`,
    `${" ".repeat(KIND_WIDTH)} ${plain(hit.text)}`,
  ]);
  const more = isCut ? [paint("dim", "There are more: add a word, or use --in or --max.")] : [];
  return `${[...lines, ...more].join("\n")}\n`;
}

const KIND_WIDTH = Math.max(...HIT_KINDS.map(({ length }) => length));

function placeOf({ kind, story, epic, task, run }: SearchHit): string {
  if (kind === "epic") return epic ?? "";
  if (task !== undefined) return `${story}/${task}`;
  return run === undefined ? (story ?? "") : `${story} --run ${run}`;
}

const dateOf = ({ at }: SearchHit, nowMs: number, paint: Paint): string =>
  at === undefined ? "" : `  ${paint("dim", stampOf(at, nowMs))}`;
