// The dialogs that ask for a reason, an answer or a confirmation before an action runs.

import { lazy, Suspense, type ReactNode } from "react";
import type { DefinitionKind, PageAction } from "../../protocol/actions.ts";
import type { PoolTaskCard } from "../../protocol/messages.ts";
import type { StoryAction } from "../words/actions.ts";
import { useEntity } from "../live/hooks.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Loading } from "../parts/layout.tsx";
import { Sentence } from "../parts/text/sentence.tsx";
import { AcceptForm } from "./forms/accept-form.tsx";
import { ActionForm, type FormProps } from "./forms/action-form.tsx";
import { AddTaskForm } from "./forms/add-task-form.tsx";
import { AnswerForm } from "./forms/answer-form.tsx";
import { ReasonForm } from "./forms/reason-form.tsx";
import { RunEpicForm } from "./forms/run-epic-form.tsx";
import { StartForm } from "./forms/start-form.tsx";
import { StartPoolForm } from "./forms/start-pool-form.tsx";
import type { Perform } from "./use-submit.ts";

const CreateForm = lazy(async () => ({
  default: (await import("../define/create-form.tsx")).CreateForm,
}));
const ChangeForm = lazy(async () => ({
  default: (await import("../define/change-form.tsx")).ChangeForm,
}));

interface StoryQuestion {
  readonly about: StoryAction;
  readonly story: string;
}

type OtherQuestion =
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

export type DialogQuestion = StoryQuestion | OtherQuestion;

interface DialogContent {
  readonly title: string;
  readonly form: ReactNode;
  readonly isWide?: boolean;
}

export function ActionDialog({
  question,
  perform,
  onClose,
}: {
  question: DialogQuestion;
  perform: Perform;
  onClose: () => void;
}) {
  const story = "story" in question ? question.story : "";
  const title = useEntity("stories", story)?.title ?? story;
  const props = { perform, onDone: onClose };
  const content =
    "story" in question ? aboutStory(question, title, props) : contentOf(question, props);
  if (content === undefined) return null;
  return (
    <Dialog title={content.title} onClose={onClose} isWide={content.isWide ?? false}>
      {content.form}
    </Dialog>
  );
}

const CREATE_TITLES = { story: "New story", epic: "New epic", task: "New task" } as const;

function contentOf(question: OtherQuestion, props: FormProps): DialogContent {
  switch (question.about) {
    case "create": {
      const { kind, of } = question;
      return {
        title: `${CREATE_TITLES[kind]}${kind === "task" ? ` in ${of}` : ""}`,
        form: whenLoaded(<CreateForm {...props} kind={kind} of={of} />),
        isWide: true,
      };
    }
    case "change":
      return {
        title: `Edit ${question.id}`,
        form: whenLoaded(<ChangeForm {...props} kind={question.kind} id={question.id} />),
        isWide: true,
      };
    case "add-task":
      return { title: "Add a task to the pool", form: <AddTaskForm {...props} /> };
    case "start-pool":
      return { title: "Start the pool", form: <StartPoolForm {...props} /> };
    case "run-epic":
      return {
        title: `Run ${question.title}`,
        form: (
          <>
            <p className="mb-4 text-sm text-soft">
              Starts each story as soon as the stories it depends on are done.
            </p>
            <RunEpicForm {...props} epic={question.epic} />
          </>
        ),
      };
    case "release":
      return aboutTask(question.task, props);
    case "confirm": {
      const { title, text, word = title, act, isSafe = false } = question;
      return {
        title,
        form: (
          <ActionForm {...props} word={word} act={act} look={isSafe ? "main" : "danger"}>
            <p className="text-sm text-soft">
              <Sentence text={text} />
            </p>
          </ActionForm>
        ),
      };
    }
  }
}

const whenLoaded = (form: ReactNode): ReactNode => (
  <Suspense fallback={<Loading what="the form" />}>{form}</Suspense>
);

function aboutTask(task: PoolTaskCard, props: FormProps): DialogContent {
  const { id, subject, why = subject, isQuestion = false } = task;
  return {
    title: isQuestion ? `Answer: ${subject}` : `Release ${subject}`,
    form: (
      <ReasonForm
        {...props}
        text={isQuestion ? why : "Returns the task to the list. The next worker reads your note."}
        label={isQuestion ? "Answer (optional)" : "Note (optional)"}
        word={isQuestion ? "Answer" : "Release"}
        isOptional
        makeAction={(answer) => ({
          act: "task-release",
          task: id,
          ...(answer !== "" && { answer }),
        })}
      />
    ),
  };
}

function aboutStory(
  { about, story }: StoryQuestion,
  title: string,
  props: FormProps,
): DialogContent | undefined {
  switch (about) {
    case "answer":
      return { title: `Answer: ${title}`, form: <AnswerForm {...props} story={story} /> };
    case "note":
      return {
        title: `Note to ${title}`,
        form: (
          <ReasonForm
            {...props}
            text="A running agent gets it with its next tool call, otherwise the next run does. It is kept in the journal."
            label="Note"
            word="Send"
            makeAction={(text) => ({ act: "note", story, text })}
          />
        ),
      };
    case "accept":
      return { title: `Accept ${title}`, form: <AcceptForm {...props} story={story} /> };
    case "reject":
      return {
        title: `Send back ${title}`,
        form: (
          <ReasonForm
            {...props}
            text="Your feedback becomes a task for the story's next run."
            label="What should change?"
            word="Send back"
            makeAction={(why) => ({ act: "reject", story, why })}
            more={{
              word: "Send back and resume",
              makeAction: (why) => ({ act: "reject", story, why, run: true }),
            }}
          />
        ),
      };
    case "start-with":
      return { title: `Run ${title}`, form: <StartForm {...props} story={story} /> };
    case "edit":
      return contentOf({ about: "change", kind: "story", id: story }, props);
    case "new-task":
      return contentOf({ about: "create", kind: "task", of: story }, props);
    case "discard":
      return contentOf(
        {
          about: "confirm",
          title: `Discard the work on ${title}?`,
          text: "Removes its worktree, branch and pull request, and resets its tasks to pending. A snapshot is saved first: restore it on the story's page, or with `saga snapshot restore`.",
          word: "Discard",
          act: { act: "discard", story },
        },
        props,
      );
    case "archive":
      return contentOf(
        {
          about: "confirm",
          title: `Archive ${title}?`,
          text: "Moves its files to `.saga/archive`. It still counts as completed.",
          word: "Archive",
          isSafe: true,
          act: { act: "archive", story },
        },
        props,
      );
    case "remove":
      return contentOf(
        {
          about: "confirm",
          title: `Remove ${title}?`,
          text: "Moves its files to `.saga/removed`, and saves its work as a snapshot.",
          word: "Remove",
          act: { act: "remove", story },
        },
        props,
      );
    case "run":
    case "unarchive":
    case "stop":
    case "resume":
    case "merge":
    case "push":
    case "verify":
      return undefined;
  }
}
