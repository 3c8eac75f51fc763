// What has to be asked before something is done: a reason, an answer, or whether it is really meant.

import type { Act, Acted } from "../../protocol/acts.ts";
import type { StoryAction } from "../words/actions.ts";
import { useEntity } from "../live/hooks.ts";
import { Dialog } from "../parts/dialog.tsx";
import { AcceptForm } from "./forms/accept-form.tsx";
import { AddTaskForm } from "./forms/add-task-form.tsx";
import { AnswerForm } from "./forms/answer-form.tsx";
import { ConfirmForm } from "./forms/confirm-form.tsx";
import { ReasonForm } from "./forms/reason-form.tsx";
import { RunEpicForm } from "./forms/run-epic-form.tsx";
import { StartForm } from "./forms/start-form.tsx";
import { StartPoolForm } from "./forms/start-pool-form.tsx";

export type Question =
  | { readonly about: StoryAction; readonly story: string }
  | { readonly about: "add-task" }
  | { readonly about: "start-pool" }
  | { readonly about: "note"; readonly note: string }
  | { readonly about: "run-epic"; readonly epic: string; readonly title: string }
  | { readonly about: "release"; readonly task: string; readonly subject: string }
  | {
      readonly about: "confirm";
      readonly title: string;
      readonly text: string;
      readonly act: Act;
      /** Not destructive. */
      readonly isSafe?: boolean;
      /** On the button, where that is not the title. */
      readonly word?: string;
    };

export type Perform = (what: Act) => Promise<Acted>;

interface DialogProps<Q> {
  readonly question: Q;
  readonly perform: Perform;
  readonly onClose: () => void;
}

export function ActDialog({ question, perform, onClose }: DialogProps<Question>) {
  if ("story" in question) {
    return <StoryDialog question={question} perform={perform} onClose={onClose} />;
  }
  switch (question.about) {
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
    case "note":
      return (
        <Dialog title="Add to the journal" onClose={onClose}>
          <ReasonForm
            text="A decision that the story's agent reads in its next run. The first line is its title."
            label="What was decided?"
            word="Add"
            makeAct={(text) => ({ act: "note", story: question.note, text })}
            perform={perform}
            onDone={onClose}
          />
        </Dialog>
      );
    case "run-epic":
      return (
        <Dialog title={`Run ${question.title}`} onClose={onClose}>
          <p className="mb-4 text-sm text-soft">
            Its stories are started one after the other, each as soon as what it waits for is done.
          </p>
          <RunEpicForm epic={question.epic} perform={perform} onDone={onClose} />
        </Dialog>
      );
    case "release":
      return (
        <Dialog title="Release a task" onClose={onClose}>
          <ReasonForm
            text={`“${question.subject}” goes back to the pool. An answer is given to whoever takes it next.`}
            label="Answer (may be empty)"
            word="Release"
            isOptional
            makeAct={(answer) => ({
              act: "task-release",
              task: question.task,
              ...(answer !== "" && { answer }),
            })}
            perform={perform}
            onDone={onClose}
          />
        </Dialog>
      );
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

function StoryDialog({
  question: { about, story },
  perform,
  onClose,
}: DialogProps<Extract<Question, { story: string }>>) {
  const title = useEntity("stories", story)?.title ?? story;
  switch (about) {
    case "answer":
      return (
        <Dialog title={`Answer: ${title}`} onClose={onClose}>
          <AnswerForm story={story} perform={perform} onDone={onClose} />
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
            text="The reason becomes a task, and the story's agent goes on with it at its next run."
            label="What has to be different?"
            word="Send back"
            makeAct={(why) => ({ act: "reject", story, why })}
            more={{
              word: "Send back and resume",
              makeAct: (why) => ({ act: "reject", story, why, run: true }),
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
            text="Its worktree, branch and pull request are removed, and its tasks are pending again. A snapshot is kept first: restore it here, on the story's page, or with `saga snapshot restore`."
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
    case "archive":
      return (
        <Dialog title={`Archive ${title}?`} onClose={onClose}>
          <ConfirmForm
            text="Its files move to `.saga/archive`. It still counts as completed."
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
            text="Its files are kept in `.saga/removed`, its work in a snapshot."
            word="Remove"
            act={{ act: "remove", story }}
            perform={perform}
            onDone={onClose}
          />
        </Dialog>
      );
    case "run":
    case "stop":
    case "resume":
    case "merge":
    case "push":
    case "verify":
      return null;
  }
}
