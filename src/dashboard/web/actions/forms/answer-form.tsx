// The answer to a story's open question. It belongs to the question that was shown when the person started to type:
// by the time it is sent, another question may be the first one.

import { useState } from "react";
import type { StoryCard } from "../../../protocol/messages.ts";
import { useEntity } from "../../live/hooks.ts";
import { Button } from "../../parts/button.tsx";
import { TextArea } from "../../parts/field.tsx";
import { FormError } from "../form-error.tsx";
import { useSubmit } from "../use-submit.ts";
import type { FormProps } from "./action-form.tsx";

type Question = Pick<StoryCard, "question" | "blocker">;

export function AnswerForm({
  story,
  perform,
  onDone,
  isInline = false,
}: FormProps & { story: string; isInline?: boolean }) {
  const card = useEntity("stories", story);
  const [answer, setAnswer] = useState("");
  const [answeredQuestion, setAnsweredQuestion] = useState<Question>();
  const { isBusy, error, submit } = useSubmit(perform, () => {
    setAnswer("");
    setAnsweredQuestion(undefined);
    onDone();
  });
  if (card?.question === undefined) {
    return <p className="text-sm text-soft">No open question.</p>;
  }
  const type = (text: string): void => {
    setAnswer(text);
    if (text === "") setAnsweredQuestion(undefined);
    else setAnsweredQuestion((before) => before ?? card);
  };
  const send = (run: boolean): Promise<void> => {
    const { blocker = "b1" } = card;
    return submit({ act: "resolve", story, blocker, answer: answer.trim(), ...(run && { run }) });
  };
  // With another open question the story cannot continue yet.
  const canRun = card.openQuestions <= 1;
  const isUnsendable = answer.trim() === "" || isOther(card, answeredQuestion);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void send(canRun);
      }}
    >
      {!isInline && <p className="mb-3 text-sm text-soft">{card.question}</p>}
      <div className={isInline ? "flex flex-col gap-2 md:flex-row md:items-end" : ""}>
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
      {answeredQuestion !== undefined && isOther(card, answeredQuestion) && (
        <p role="alert" className="mt-2 flex flex-wrap items-center gap-2 text-sm text-ask">
          You started to answer “{answeredQuestion.question}”, which is no longer open.
          <Button className="h-7 text-xs" onClick={() => setAnsweredQuestion(card)}>
            Use it for this question
          </Button>
        </p>
      )}
      <FormError error={error} />
    </form>
  );
}

/** Whether the question changed after the person started to answer. */
const isOther = (card: Question, answeredQuestion: Question | undefined): boolean =>
  answeredQuestion !== undefined &&
  (answeredQuestion.blocker !== card.blocker || answeredQuestion.question !== card.question);
