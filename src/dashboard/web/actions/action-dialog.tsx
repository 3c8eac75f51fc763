// The dialogs that ask for a reason, an answer or a confirmation before an action runs.

import { lazy, Suspense } from "react";
import type { PageAction, ActionResult } from "../../protocol/actions.ts";
import type { DefinitionKind } from "../../protocol/definition-actions.ts";
import type { PoolTaskCard } from "../../protocol/messages.ts";
import type { StoryAction } from "../words/actions.ts";
import { useEntity } from "../live/hooks.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Loading } from "../parts/layout.tsx";
import { AcceptForm } from "./forms/accept-form.tsx";
import { AddTaskForm } from "./forms/add-task-form.tsx";
import { AnswerForm } from "./forms/answer-form.tsx";
import { ConfirmForm } from "./forms/confirm-form.tsx";
import { ReasonForm } from "./forms/reason-form.tsx";
import { RunEpicForm } from "./forms/run-epic-form.tsx";
import { StartForm } from "./forms/start-form.tsx";
import { StartPoolForm } from "./forms/start-pool-form.tsx";

const CreateForm = lazy(async () => ({
  default: (await import("../define/create-form.tsx")).CreateForm,
}));
const ChangeForm = lazy(async () => ({
  default: (await import("../define/change-form.tsx")).ChangeForm,
}));

export type DialogQuestion =
  | { readonly about: StoryAction; readonly story: string }
  | { readonly about: "add-task" }
  /** `of`: the epic of a new story, or the story of a new task. */
  | { readonly about: "create"; readonly kind: DefinitionKind; readonly of?: string }
  | { readonly about: "change"; readonly kind: DefinitionKind; readonly id: string }
  | { readonly about: "start-pool" }
  | { readonly about: "run-epic"; readonly epic: string; readonly title: string }
  | { readonly about: "release"; readonly task: PoolTaskCard }
  | {
      readonly about: "confirm";
      readonly title: string;
      readonly text: string;
      readonly act: PageAction;
      /** Not destructive. */
      readonly isSafe?: boolean;
      /** The text of the button; the title by default. */
      readonly word?: string;
    };

export type Perform = (action: PageAction) => Promise<ActionResult>;

interface DialogProps<Q> {
  readonly question: Q;
  readonly perform: Perform;
  readonly onClose: () => void;
}

export function ActionDialog({ question, perform, onClose }: DialogProps<DialogQuestion>) {
  if ("story" in question) {
    return <StoryDialog question={question} perform={perform} onClose={onClose} />;
  }
  switch (question.about) {
    case "create":
    case "change":
      return <DefinitionDialog question={question} perform={perform} onClose={onClose} />;
    case "add-task":
      return (
        <Dialog title="Add a task to the pool" onClose={onClose}>
          <AddTaskForm perform={perform} onDone={onClose} />
        </Dialog>
      );
    case "start-pool":
      return (
        <Dialog title="Start the pool" onClose={onClose}>
          <StartPoolForm perform={perform} onDone={onClose} />
        </Dialog>
      );
    case "run-epic":
      return (
        <Dialog title={`Run ${question.title}`} onClose={onClose}>
          <p className="mb-4 text-sm text-soft">
            Starts each story as soon as the stories it depends on are done.
          </p>
          <RunEpicForm epic={question.epic} perform={perform} onDone={onClose} />
        </Dialog>
      );
    case "release":
      return <ReleaseDialog question={question} perform={perform} onClose={onClose} />;
    case "confirm":
      return (
        <Dialog title={question.title} onClose={onClose}>
          <ConfirmForm
            text={question.text}
            word={question.word ?? question.title}
            isSafe={question.isSafe}
            act={question.act}
            perform={perform}
            onDone={onClose}
          />
        </Dialog>
      );
  }
}

const CREATE_TITLES = { story: "New story", epic: "New epic", task: "New task" } as const;

function DefinitionDialog({
  question,
  perform,
  onClose,
}: DialogProps<Extract<DialogQuestion, { about: "create" | "change" }>>) {
  const { kind } = question;
  const props = { kind, perform, onDone: onClose };
  const title =
    question.about === "change"
      ? `Edit ${question.id}`
      : `${CREATE_TITLES[kind]}${kind === "task" ? ` in ${question.of}` : ""}`;
  return (
    <Dialog title={title} onClose={onClose} isWide>
      <Suspense fallback={<Loading what="the form" />}>
        {question.about === "change" ? (
          <ChangeForm {...props} id={question.id} />
        ) : (
          <CreateForm {...props} of={question.of} />
        )}
      </Suspense>
    </Dialog>
  );
}

function ReleaseDialog({
  question: { task },
  perform,
  onClose,
}: DialogProps<Extract<DialogQuestion, { about: "release" }>>) {
  const { id, subject, why = subject, isQuestion = false } = task;
  return (
    <Dialog title={isQuestion ? `Answer: ${subject}` : `Release ${subject}`} onClose={onClose}>
      <ReasonForm
        text={isQuestion ? why : "Returns the task to the list. The next worker reads your note."}
        label={isQuestion ? "Answer (optional)" : "Note (optional)"}
        word={isQuestion ? "Answer" : "Release"}
        isOptional
        makeAction={(answer) => ({
          act: "task-release",
          task: id,
          ...(answer !== "" && { answer }),
        })}
        perform={perform}
        onDone={onClose}
      />
    </Dialog>
  );
}

function StoryDialog({
  question: { about, story },
  perform,
  onClose,
}: DialogProps<Extract<DialogQuestion, { story: string }>>) {
  const title = useEntity("stories", story)?.title ?? story;
  switch (about) {
    case "answer":
      return (
        <Dialog title={`Answer: ${title}`} onClose={onClose}>
          <AnswerForm story={story} perform={perform} onDone={onClose} />
        </Dialog>
      );
    case "note":
      return (
        <Dialog title={`Note to ${title}`} onClose={onClose}>
          <ReasonForm
            text="A running agent gets it with its next tool call, otherwise the next run does. It is kept in the journal."
            label="Note"
            word="Send"
            makeAction={(text) => ({ act: "note", story, text })}
            perform={perform}
            onDone={onClose}
          />
        </Dialog>
      );
    case "accept":
      return (
        <Dialog title={`Accept ${title}`} onClose={onClose}>
          <AcceptForm story={story} perform={perform} onDone={onClose} />
        </Dialog>
      );
    case "reject":
      return (
        <Dialog title={`Send back ${title}`} onClose={onClose}>
          <ReasonForm
            text="Your feedback becomes a task for the story's next run."
            label="What should change?"
            word="Send back"
            makeAction={(why) => ({ act: "reject", story, why })}
            more={{
              word: "Send back and resume",
              makeAction: (why) => ({ act: "reject", story, why, run: true }),
            }}
            perform={perform}
            onDone={onClose}
          />
        </Dialog>
      );
    case "discard":
      return (
        <Dialog title={`Discard the work on ${title}?`} onClose={onClose}>
          <ConfirmForm
            text="Removes its worktree, branch and pull request, and resets its tasks to pending. A snapshot is saved first: restore it on the story's page, or with `saga snapshot restore`."
            word="Discard"
            act={{ act: "discard", story }}
            perform={perform}
            onDone={onClose}
          />
        </Dialog>
      );
    case "start-with":
      return (
        <Dialog title={`Run ${title}`} onClose={onClose}>
          <StartForm story={story} perform={perform} onDone={onClose} />
        </Dialog>
      );
    case "edit":
      return (
        <DefinitionDialog
          question={{ about: "change", kind: "story", id: story }}
          perform={perform}
          onClose={onClose}
        />
      );
    case "new-task":
      return (
        <DefinitionDialog
          question={{ about: "create", kind: "task", of: story }}
          perform={perform}
          onClose={onClose}
        />
      );
    case "archive":
      return (
        <Dialog title={`Archive ${title}?`} onClose={onClose}>
          <ConfirmForm
            text="Moves its files to `.saga/archive`. It still counts as completed."
            word="Archive"
            isSafe
            act={{ act: "archive", story }}
            perform={perform}
            onDone={onClose}
          />
        </Dialog>
      );
    case "remove":
      return (
        <Dialog title={`Remove ${title}?`} onClose={onClose}>
          <ConfirmForm
            text="Moves its files to `.saga/removed`, and saves its work as a snapshot."
            word="Remove"
            act={{ act: "remove", story }}
            perform={perform}
            onDone={onClose}
          />
        </Dialog>
      );
    case "run":
    case "unarchive":
    case "stop":
    case "resume":
    case "merge":
    case "push":
    case "verify":
      return null;
  }
}
