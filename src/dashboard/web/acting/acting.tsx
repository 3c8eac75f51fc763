// Doing things: one place that asks the server, says what came of it, and shows what has to be asked first.

import { createContext, use, useCallback, useMemo, useState, type ReactNode } from "react";
import type { PageAction, ActionResult } from "../../protocol/actions.ts";
import { useLive } from "../live/hooks.ts";
import { isPlain, type StoryAction } from "../words/actions.ts";
import { ActDialog, type Perform, type DialogQuestion } from "./act-dialog.tsx";
import { updateCheckoutQuestion } from "./questions.ts";
import { Toasts, type Toast } from "./toasts.tsx";
import { undoOf } from "./undo.ts";

export interface Acting {
  /** Done now; what came of it is shown, and given back. */
  readonly perform: Perform;
  /** The same for a form, which shows itself why it was refused: beside what was typed. */
  readonly attempt: Perform;
  /** A plain action is done, any other opens its dialog. */
  readonly begin: (action: StoryAction, story: string) => void;
  readonly ask: (question: DialogQuestion) => void;
}

const ActingContext = createContext<Acting | undefined>(undefined);

export function useActing(): Acting {
  const acting = use(ActingContext);
  if (acting === undefined) throw new Error("useActing needs an ActingProvider.");
  return acting;
}

let lastToast = 0;
/** Older ones make room. */
const MOST_TOASTS = 3;

export function ActingProvider({ children }: { children: ReactNode }) {
  const { act } = useLive();
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const [question, setQuestion] = useState<DialogQuestion>();
  const show = useCallback(
    (acted: ActionResult, undo?: PageAction): void => {
      const takeBack = async (back: PageAction): Promise<void> =>
        addToast({ acted: await act(back) });
      const addToast = (toast: Omit<Toast, "id">): void =>
        setToasts((before) => [...before, { ...toast, id: ++lastToast }].slice(-MOST_TOASTS));
      addToast({
        acted,
        undo: undo && { word: "Restore", act: () => void takeBack(undo) },
      });
    },
    [act],
  );
  const perform = useCallback(
    async (what: PageAction): Promise<ActionResult> => {
      const acted = await act(what);
      const next = updateCheckoutQuestion(what, acted);
      if (next === undefined) show(acted, undoOf(what, acted));
      else setQuestion(next);
      return acted;
    },
    [act, show],
  );
  const attempt = useCallback(
    async (what: PageAction): Promise<ActionResult> => {
      const acted = await act(what);
      const next = updateCheckoutQuestion(what, acted);
      if (acted.isOk) show(acted, undoOf(what, acted));
      else if (next) setQuestion(next);
      return acted;
    },
    [act, show],
  );
  const acting = useMemo<Acting>(
    () => ({
      perform,
      attempt,
      ask: setQuestion,
      begin(action, story) {
        if (isPlain(action)) void perform({ act: action, story });
        else setQuestion({ about: action, story });
      },
    }),
    [perform, attempt],
  );
  const dismiss = useCallback(
    (id: number) => setToasts((before) => before.filter((toast) => toast.id !== id)),
    [],
  );
  const close = useCallback(() => setQuestion(undefined), []);
  return (
    <ActingContext value={acting}>
      {children}
      {question && <ActDialog question={question} perform={attempt} onClose={close} />}
      <Toasts toasts={toasts} onDismiss={dismiss} />
    </ActingContext>
  );
}
