// The answer to a story's open question, inline on Home and in a dialog elsewhere.

import { useState } from "react";
import type { StoryCard, StoryDetail } from "../../protocol.ts";
import { storyAddress, useEntity } from "../live/hooks.ts";
import { fetchJson } from "../live/server.ts";
import { Button } from "../parts/button.tsx";
import { TextArea } from "../parts/field.tsx";
import type { Perform } from "./act-dialog.tsx";
import { useSubmit } from "./use-submit.ts";

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
  const { isBusy, submit } = useSubmit(perform, () => {
    setAnswer("");
    onDone();
  });
  if (card?.question === undefined) {
    return <p className="text-sm text-soft">No question is open any more.</p>;
  }
  const send = async (): Promise<void> => {
    const blocker = card.blocker ?? (await blockerOf(card));
    await submit({ act: "resolve", story, blocker, answer: answer.trim() });
  };
  return (
    <form
      className={isInline ? "flex items-end gap-2" : ""}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {!isInline && <p className="mb-3 text-sm text-soft">{card.question}</p>}
      <TextArea
        label={`Answer to ${story}`}
        isLabelHidden
        placeholder="Your answer"
        rows={isInline ? 1 : 3}
        required
        value={answer}
        onChange={(event) => setAnswer(event.target.value)}
      />
      <div className={isInline ? "" : "mt-4 flex justify-end"}>
        <Button type="submit" look="main" isBusy={isBusy} disabled={answer.trim() === ""}>
          Answer
        </Button>
      </div>
    </form>
  );
}

/** By the question that the person read: another one may be the first by now. */
async function blockerOf({ id, question }: StoryCard): Promise<string> {
  const { journal } = (await fetchJson(storyAddress(id))) as StoryDetail;
  const open = journal.filter(({ isOpen }) => isOpen);
  return (open.find(({ title }) => title === question) ?? open[0])?.blocker ?? "b1";
}
