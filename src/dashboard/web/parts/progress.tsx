import type { StoryCard } from "../../protocol/messages.ts";
import type { EpicSum } from "../words/epics.ts";
import { count, percent } from "../words/format.ts";
import { TASK_LOOKS, taskStatesOf, type Tone } from "../words/states.ts";
import { TONE_FILL } from "./legend.tsx";

/** More pieces would be too narrow to see. */
const MAX_PIECES = 24;

/** One piece for each task, in order. Only completed ones are filled. */
export function TaskBar({ story }: { story: StoryCard }) {
  const tones = [...taskStatesOf(story).values()].map((state) => TASK_LOOKS[state].tone);
  const done = story.tasks.filter(({ status }) => status === "completed").length;
  const label = `${done} of ${count(story.tasks.length, "task")} completed`;
  if (tones.length > MAX_PIECES) {
    return <StackedBar label={label} parts={countTones(tones)} total={tones.length} />;
  }
  return (
    <span role="img" aria-label={label} className="flex h-1.5 w-full gap-[3px]">
      {tones.map((tone, at) => (
        // Pieces never move.
        // oxlint-disable-next-line react/no-array-index-key
        <span key={at} className={`h-full flex-1 rounded-full ${TONE_FILL[tone]}`} />
      ))}
    </span>
  );
}

/** Only completed stories are filled; the others are outlined in the colour of their state. */
export function EpicBar({ sum }: { sum: EpicSum }) {
  const label = `${sum.done} of ${sum.total} stories completed`;
  return <StackedBar label={label} parts={sum.tones} total={sum.total} />;
}

function StackedBar({
  label,
  parts,
  total,
}: {
  label: string;
  parts: readonly (readonly [Tone, number])[];
  total: number;
}) {
  return (
    <span role="img" aria-label={label} className="flex h-1.5 w-full gap-[2px]">
      {parts
        .filter(([, count]) => count > 0)
        .map(([tone, count]) => (
          <span
            key={tone}
            className={`rounded-full ${TONE_FILL[tone]}`}
            style={{ width: `${percent(count, total)}%` }}
          />
        ))}
    </span>
  );
}

function countTones(tones: readonly Tone[]): (readonly [Tone, number])[] {
  const order: readonly Tone[] = ["good", "active", "ask", "idle"];
  return order.map((tone) => [tone, tones.filter((one) => one === tone).length]);
}
