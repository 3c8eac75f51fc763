// Runs a command of the page for each key press.

import { useEffect, useEffectEvent } from "react";
import { meaningOf, type Command, type PendingKeys } from "./keymap.ts";

export function useKeys(run: (command: Command) => void): void {
  const onCommand = useEffectEvent(run);
  useEffect(() => {
    let waiting: PendingKeys | undefined;
    const listen = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing) return;
      // An open dialog handles its own keys.
      if (document.querySelector("dialog[open]")) return;
      if (event.key === "Escape") return leaveField(event.target);
      const meaning = meaningOf(
        {
          key: event.key,
          hasModifier: event.ctrlKey || event.metaKey,
          hasAlt: event.altKey,
          isTyping: isField(event.target),
          atMs: event.timeStamp,
        },
        waiting,
      );
      ({ waiting } = meaning);
      if (meaning.command === undefined) return;
      event.preventDefault();
      onCommand(meaning.command);
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
}

function leaveField(target: EventTarget | null): void {
  if (target instanceof HTMLElement && isField(target)) target.blur();
}

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches("input:not([type=checkbox]), textarea, select"));

/** j and k step through elements with `data-row`. */
export function stepRow(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>("main [data-row]")];
  const at = rows.findIndex((row) => row === document.activeElement);
  const next = at === -1 ? (step === 1 ? 0 : rows.length - 1) : at + step;
  rows[Math.max(0, Math.min(rows.length - 1, next))]?.focus();
}
