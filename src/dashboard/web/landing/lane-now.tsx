// What the lander of a lane does now, with the live output of the check.

import { useEffect, useRef } from "react";
import type { LaneCard } from "../../protocol/landing.ts";
import { useEntity, useOutput } from "../live/hooks.ts";
import { plainText } from "../log/plain-text.ts";
import { Panel } from "../parts/layout.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import { Elapsed } from "../parts/time.tsx";
import { STORY_LOOKS } from "../words/states.ts";
import { searchText, stepText } from "./lane-groups.ts";

export function LaneNow({
  lane,
  now,
  target,
}: {
  lane: string;
  now: NonNullable<LaneCard["now"]>;
  target: string;
}) {
  const search = searchText(now);
  return (
    <Panel className="overflow-hidden">
      <div className="flex items-center gap-x-3 px-4 py-3 md:px-5">
        <StateMark look={STORY_LOOKS.running} className="size-[1.1rem]" />
        <p className="min-w-0 flex-1 font-medium">{stepText(now, target)}</p>
        <span className="text-xs text-faint">
          <Elapsed from={now.startedAt} />
        </span>
      </div>
      {search !== undefined && (
        <p className="bg-ask-wash px-4 py-2 text-sm text-ask md:px-5">{search}</p>
      )}
      {now.command !== undefined && (
        // Another candidate or command has an output of its own.
        <CheckOutput
          key={`${now.candidate} ${now.command}`}
          lane={lane}
          command={now.command}
          machine={now.machine}
        />
      )}
    </Panel>
  );
}

/** Scroll positions are not exact to the pixel on every screen. */
const AT_END_PX = 24;

function CheckOutput({
  lane,
  command,
  machine,
}: {
  lane: string;
  command: string;
  machine: string | undefined;
}) {
  const output = useOutput(lane);
  const own = useEntity("fleet", "fleet")?.machine;
  const isElsewhere = machine !== undefined && machine !== own;
  const none = isElsewhere ? `Its output is on ${machine}.` : "No output yet.";
  const shown = output === undefined || output === "" || isElsewhere ? none : plainText(output);
  const box = useRef<HTMLPreElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    // The height depends on the text.
    if (isAtEnd.current && shown !== "") {
      box.current?.scrollTo({ top: box.current.scrollHeight });
    }
  }, [shown]);
  return (
    <div className="border-t border-line">
      <p className="px-4 py-2 font-mono text-xs text-soft md:px-5">$ {command}</p>
      <pre
        ref={box}
        role="log"
        aria-label="Output of the check"
        // A screen reader could not keep up.
        aria-live="off"
        tabIndex={0}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) =>
          (isAtEnd.current = scrollHeight - scrollTop - clientHeight < AT_END_PX)
        }
        className="max-h-56 min-h-20 overflow-y-auto bg-sunken px-4 py-2.5 font-mono text-xs leading-5 break-words whitespace-pre-wrap text-soft -outline-offset-2 md:px-5"
      >
        {shown}
      </pre>
    </div>
  );
}
