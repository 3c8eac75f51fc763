import { useEffect, useState } from "react";
import { Icon } from "./icon.tsx";

const SHOWN_MS = 1600;

/** @param what names the text for screen readers: "attach command". */
export function CopyButton({ text, what }: { text: string | (() => string); what: string }) {
  const [state, setState] = useState<"idle" | "copied" | "refused">("idle");
  useEffect(() => {
    if (state === "idle") return;
    const timer = setTimeout(() => setState("idle"), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = (): void => {
    navigator.clipboard.writeText(typeof text === "string" ? text : text()).then(
      () => setState("copied"),
      () => setState("refused"),
    );
  };
  const label = state === "refused" ? "The browser blocked copying" : `Copy ${what}`;
  return (
    <button
      type="button"
      onClick={copy}
      aria-label={label}
      title={label}
      className="inline-flex size-7 shrink-0 items-center justify-center rounded-md text-faint hover:bg-hover hover:text-ink"
    >
      <Icon name={state === "copied" ? "done" : "copy"} className="size-3.5" />
      <span role="status" className="sr-only">
        {state === "copied" ? "Copied" : ""}
      </span>
    </button>
  );
}

/** A command to type, with its copy button. */
export function Command({ children }: { children: string }) {
  return (
    <div className="flex items-center gap-2 rounded-lg bg-sunken py-1 pr-1 pl-3">
      <code className="min-w-0 flex-1 font-mono text-xs text-ink">{children}</code>
      <CopyButton text={children} what={children} />
    </div>
  );
}
