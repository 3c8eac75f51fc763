// Runs the actions of all pages: sends them to the server, shows the result, and opens dialogs.

import { createContext, use, useCallback, useMemo, useState, type ReactNode } from "react";
import type { PageAction, ActionResult } from "../../protocol/actions.ts";
import { useLive } from "../live/hooks.ts";
import { isImmediate, type StoryAction } from "../words/actions.ts";
import { ActionDialog, type DialogQuestion } from "./action-dialog.tsx";
import { updateCheckoutQuestion } from "./questions.ts";
import { Toasts, type Toast } from "./toasts.tsx";
import { undoOf } from "./undo.ts";
import type { Perform } from "./use-submit.ts";

export interface PageActions {
  /** Runs the action, shows the result as a toast, and returns it. */
  readonly perform: Perform;
  /** The same for a form, which shows errors itself, beside what was typed. */
  readonly attempt: Perform;
  /** Runs an immediate action, or opens the dialog of any other. */
  readonly start: (action: StoryAction, story: string) => void;
  readonly ask: (question: DialogQuestion) => void;
}

const ActionsContext = createContext<PageActions | undefined>(undefined);

export function useActions(): PageActions {
  const actions = use(ActionsContext);
  if (actions === undefined) throw new Error("useActions needs an ActionProvider.");
  return actions;
}

let lastToast = 0;
/** Older ones disappear. */
const MAX_TOASTS = 3;

export function ActionProvider({ children }: { children: ReactNode }) {
  const { act } = useLive();
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const [question, setQuestion] = useState<DialogQuestion>();
  const show = useCallback(
    (result: ActionResult, undo?: PageAction): void => {
      const runUndo = async (action: PageAction): Promise<void> =>
        addToast({ result: await act(action) });
      const addToast = (toast: Omit<Toast, "id">): void =>
        setToasts((before) => [...before, { ...toast, id: ++lastToast }].slice(-MAX_TOASTS));
      addToast({
        result,
        undo: undo && { word: "Restore", run: () => void runUndo(undo) },
      });
    },
    [act],
  );
  const perform = useCallback(
    async (action: PageAction): Promise<ActionResult> => {
      const result = await act(action);
      const next = updateCheckoutQuestion(action, result);
      if (next === undefined) show(result, undoOf(action, result));
      else setQuestion(next);
      return result;
    },
    [act, show],
  );
  const attempt = useCallback(
    async (action: PageAction): Promise<ActionResult> => {
      const result = await act(action);
      const next = updateCheckoutQuestion(action, result);
      if (result.isOk) show(result, undoOf(action, result));
      else if (next) setQuestion(next);
      return result;
    },
    [act, show],
  );
  const actions = useMemo<PageActions>(
    () => ({
      perform,
      attempt,
      ask: setQuestion,
      start(action, story) {
        if (isImmediate(action)) void perform({ act: action, story });
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
    <ActionsContext value={actions}>
      {children}
      {question && <ActionDialog question={question} perform={attempt} onClose={close} />}
      <Toasts toasts={toasts} onDismiss={dismiss} />
    </ActionsContext>
  );
}
