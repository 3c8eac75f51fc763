import { Markdown } from "../parts/text/markdown.tsx";

/** A text with a heading. Renders nothing if it is empty. */
export function Fact({ word, text }: { word: string; text: string | undefined }) {
  if (text === undefined || text === "") return null;
  return (
    <div>
      <h3 className="mb-1 text-xs font-medium text-faint">{word}</h3>
      <Markdown text={text} />
    </div>
  );
}

/** Commands or patterns, one per line. */
export function Lines({ word, lines }: { word: string; lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <div>
      <h3 className="mb-1 text-xs font-medium text-faint">{word}</h3>
      <ul className="space-y-1">
        {lines.map((line) => (
          <li key={line}>
            <code className="rounded-md bg-sunken px-2 py-0.5 font-mono text-xs">{line}</code>
          </li>
        ))}
      </ul>
    </div>
  );
}
