// Ends a review: the comments become the agent's next task, or the story is accepted.

import { useActions } from "../actions/action-provider.tsx";
import { FormError } from "../actions/form-error.tsx";
import { useSubmit } from "../actions/use-submit.ts";
import { useIsOffline } from "../live/hooks.ts";
import { Button } from "../parts/button.tsx";
import { TextArea } from "../parts/field.tsx";
import { Panel } from "../parts/layout.tsx";
import { count } from "../words/format.ts";
import { CommentCard } from "./comment-box.tsx";
import { feedbackText, hasFeedback, withoutComment, withoutComments } from "./review-notes.ts";
import type { ChangeNotes, ReviewNotes } from "./review-notes.ts";

export const REVIEW_PANEL = "review";

const KEPT = "Kept in this browser until you send them.";
const NOT_KEPT = "This browser cannot store them: send them before you close the page.";

export function ReviewPanel({
  story,
  notes,
  isKept,
  onChange,
}: {
  story: string;
  notes: ReviewNotes;
  /** The browser has stored them. */
  isKept: boolean;
  onChange: ChangeNotes;
}) {
  const { attempt, start } = useActions();
  const isOffline = useIsOffline();
  const { isBusy, error, submit } = useSubmit(attempt, () => onChange(withoutComments));
  const send = (run: boolean): Promise<void> =>
    submit({ act: "reject", story, why: feedbackText(notes), ...(run && { run }) });
  const isEmpty = !hasFeedback(notes);
  return (
    <Panel className="mt-5 overflow-hidden">
      <section id={REVIEW_PANEL} aria-label="Your review" className="scroll-mt-16">
        <div className="px-4 py-3">
          <h2 className="text-sm font-semibold">Your review</h2>
          <p className="text-xs text-faint">
            {notes.comments.length === 0
              ? "Click a line number to comment on it."
              : `${count(notes.comments.length, "comment")}. ${isKept ? KEPT : NOT_KEPT}`}
          </p>
        </div>
        {notes.comments.map((comment) => (
          <CommentCard
            key={comment.id}
            comment={comment}
            onRemove={() => onChange((before) => withoutComment(before, comment.id))}
          />
        ))}
        <div className="px-4 py-3">
          <TextArea
            label="Comment on the whole"
            rows={2}
            placeholder="What should change? The first line becomes the title of the agent's task."
            value={notes.overall}
            onChange={(event) => {
              const overall = event.target.value;
              onChange((before) => ({ ...before, overall }));
            }}
            className="min-h-14"
          />
          <FormError error={error} />
          <div className="mt-3 flex flex-wrap justify-end gap-2">
            <Button
              isBusy={isBusy}
              disabled={isEmpty || isOffline}
              onClick={() => void send(false)}
            >
              Send back
            </Button>
            <Button
              look={isEmpty ? "plain" : "main"}
              isBusy={isBusy}
              disabled={isEmpty || isOffline}
              onClick={() => void send(true)}
            >
              Send back and resume
            </Button>
            <Button
              look={isEmpty ? "main" : "plain"}
              disabled={isOffline}
              onClick={() => start("accept", story)}
            >
              Accept…
            </Button>
          </div>
        </div>
      </section>
    </Panel>
  );
}
