// The answer to a story's open question. It belongs to the question that was shown when the person started to type:
// by the time it is sent, another question may be the first one.

import { useState } from "react";
import type { StoryCard } from "../../../protocol/messages.ts";
import { useEntity } from "../../live/hooks.ts";
import { Button } from "../../parts/button.tsx";
import { TextArea } from "../../parts/field.tsx";
import type { Perform } from "../act-dialog.tsx";
import { Refused } from "../refused.tsx";
import { useSubmit } from "../use-submit.ts";

type Asked = Pick<StoryCard, "question" | "blocker">;

export function AnswerForm({
  story,
  perform,
  onDone,
  isInline = false,
}: {
  story: string;
  perform: Perform;
  onDone: () => void;
  isInline?: boolean;
}) {
  const card = useEntity("stories", story);
  const [answer, setAnswer] = useState("");
  const [asked, setAsked] = useState<Asked>();
  const { isBusy, refused, submit } = useSubmit(perform, () => {
    setAnswer("");
    setAsked(undefined);
    onDone();
  });
  if (card?.question === undefined) {
    return <p className="text-sm text-soft">No open question.</p>;
  }
  const type = (text: string): void => {
    setAnswer(text);
    if (text === "") setAsked(undefined);
    else setAsked((before) => before ?? card);
  };
  const send = (run: boolean): Promise<void> => {
    const { blocker = "b1" } = card;
    return submit({ act: "resolve", story, blocker, answer: answer.trim(), ...(run && { run }) });
  };
  // With another open question the story cannot continue yet.
  const canRun = card.openQuestions <= 1;
  const isUnsendable = answer.trim() === "" || isOther(card, asked);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void send(canRun);
      }}
    >
      {!isInline && <p className="mb-3 text-sm text-soft">{card.question}</p>}
      <div className={isInline ? "flex items-end gap-2" : ""}>
        <TextArea
          label={`Answer to ${story}`}
          isLabelHidden
          placeholder="Your answer"
          rows={isInline ? 1 : 3}
          required
          value={answer}
          onChange={(event) => type(event.target.value)}
        />
        <div className={`flex gap-2 ${isInline ? "" : "mt-4 justify-end"}`}>
          {canRun && (
            <Button isBusy={isBusy} disabled={isUnsendable} onClick={() => void send(false)}>
              Answer
            </Button>
          )}
          <Button type="submit" look="main" isBusy={isBusy} disabled={isUnsendable}>
            {canRun ? "Answer and resume" : "Answer"}
          </Button>
        </div>
      </div>
      {asked !== undefined && isOther(card, asked) && (
        <p role="alert" className="mt-2 flex flex-wrap items-center gap-2 text-sm text-ask">
          You started to answer “{asked.question}”, which is no longer open.
          <Button className="h-7 text-xs" onClick={() => setAsked(card)}>
            Use it for this question
          </Button>
        </p>
      )}
      <Refused refused={refused} />
    </form>
  );
}

/** Whether the question changed after the person started to answer. */
const isOther = (card: Asked, asked: Asked | undefined): boolean =>
  asked !== undefined && (asked.blocker !== card.blocker || asked.question !== card.question);
