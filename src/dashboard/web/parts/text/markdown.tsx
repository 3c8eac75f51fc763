// Markdown without HTML, remote images or script links. Loaded when it is first shown.

import { lazy, Suspense } from "react";

const Rendered = lazy(async () => {
  const { RenderedMarkdown } = await import("./rendered-markdown.tsx");
  return { default: RenderedMarkdown };
});

export function Markdown({ text }: { text: string }) {
  return (
    <Suspense fallback={<div className="prose whitespace-pre-wrap">{text}</div>}>
      <Rendered text={text} />
    </Suspense>
  );
}
