// A sentence from Saga, with commands and names in backticks.

import { CopyButton } from "../copy.tsx";
import { partsOf } from "./sentence-parts.ts";

/** @param canCopy adds a copy button to each command. */
export function Sentence({ text, canCopy = false }: { text: string; canCopy?: boolean }) {
  return partsOf(text).map(({ from, text: part, isCode }) =>
    isCode ? (
      <span key={from}>
        <code className="rounded bg-sunken px-1 py-0.5 font-mono text-[0.85em]">{part}</code>
        {canCopy && <CopyButton text={part} what={part} />}
      </span>
    ) : (
      part
    ),
  );
}
