// The browser's dialog element: it traps the focus, makes the rest inert and closes with Esc.

import { useEffect, useId, useRef, type ReactNode } from "react";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";

export function Dialog({
  title,
  onClose,
  children,
  isWide = false,
}: {
  title: string;
  onClose: () => void;
  children: ReactNode;
  isWide?: boolean;
}) {
  const ref = useModal();
  const titleId = useId();
  return (
    <dialog
      ref={ref}
      aria-labelledby={titleId}
      onClose={onClose}
      className={`m-auto w-[calc(100vw-2rem)] rounded-2xl border border-line bg-surface p-0 shadow-float ${isWide ? "max-w-2xl" : "max-w-md"}`}
    >
      <div className="flex items-center justify-between gap-3 px-5 pt-4">
        <h2 id={titleId} className="font-semibold">
          {title}
        </h2>
        <Button look="quiet" className="-mr-2 w-8 px-0" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </Button>
      </div>
      <div className="px-5 pt-2 pb-5">{children}</div>
    </dialog>
  );
}

/**
 * Opens the dialog while it is rendered, and then returns the focus.
 * @param closesOnClick a click outside closes it. Not for forms, where typed text would be lost.
 */
export function useModal(closesOnClick = false) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = ref.current;
    const before = document.activeElement;
    const closeOutside = (event: Event): void => {
      if (closesOnClick && event.target === dialog) dialog?.close();
    };
    dialog?.addEventListener("click", closeOutside);
    dialog?.showModal();
    return () => {
      dialog?.removeEventListener("click", closeOutside);
      dialog?.close();
      const canFocus = before instanceof HTMLElement && before.isConnected;
      // The action may have removed the button that opened the dialog: then focus the page.
      const next = canFocus ? before : document.querySelector<HTMLElement>("#main");
      next?.focus();
    };
  }, [closesOnClick]);
  return ref;
}
