import { useEffect } from "react";
import type { ActionResult } from "../../protocol/actions.ts";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { Sentence } from "../parts/text/sentence.tsx";

export interface Toast {
  readonly id: number;
  readonly result: ActionResult;
  readonly undo?: { readonly word: string; readonly run: () => void } | undefined;
}

const SUCCESS_MS = 6000;

export function Toasts({
  toasts,
  onDismiss,
}: {
  toasts: readonly Toast[];
  onDismiss: (id: number) => void;
}) {
  return (
    <div
      role="status"
      aria-label="Notifications"
      className="pointer-events-none fixed right-4 bottom-20 z-40 flex w-[min(26rem,calc(100vw-2rem))] flex-col gap-2 md:bottom-4"
    >
      {toasts.map((toast) => (
        <ToastCard key={toast.id} toast={toast} onDismiss={onDismiss} />
      ))}
    </div>
  );
}

/** Success disappears by itself; errors, commands to copy and undo wait for a person. */
function ToastCard({ toast, onDismiss }: { toast: Toast; onDismiss: (id: number) => void }) {
  const { id, result, undo } = toast;
  useEffect(() => {
    if (!result.isOk || result.text.includes("`") || undo) return;
    const timer = setTimeout(() => onDismiss(id), SUCCESS_MS);
    return () => clearTimeout(timer);
  }, [result, undo, id, onDismiss]);
  return (
    <div className="pointer-events-auto flex items-start gap-3 rounded-xl border border-line bg-surface py-2.5 pr-2 pl-3.5 shadow-float">
      <span className={`mt-0.5 ${result.isOk ? "text-good" : "text-bad"}`}>
        <Icon name={result.isOk ? "done" : "close"} />
      </span>
      <div className="min-w-0 flex-1 text-sm">
        <p className="max-h-40 overflow-auto whitespace-pre-line">
          <Sentence text={result.isOk ? result.text.trim() : result.message} canCopy />
        </p>
        {!result.isOk && result.hint !== undefined && (
          <p className="mt-0.5 text-faint">
            <Sentence text={result.hint} canCopy />
          </p>
        )}
      </div>
      {undo && (
        <Button
          className="h-7 text-xs"
          onClick={() => {
            onDismiss(id);
            undo.run();
          }}
        >
          {undo.word}
        </Button>
      )}
      <Button
        look="quiet"
        className="h-7 w-7 px-0"
        aria-label="Dismiss"
        onClick={() => onDismiss(id)}
      >
        <Icon name="close" className="size-3.5" />
      </Button>
    </div>
  );
}
