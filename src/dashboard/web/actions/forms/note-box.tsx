// A note to the agent of a running story, in one line above its tasks.

import { useState } from "react";
import { useIsOffline } from "../../live/hooks.ts";
import { Button } from "../../parts/button.tsx";
import { TextArea } from "../../parts/field.tsx";
import { useActions } from "../action-provider.tsx";
import { FormError } from "../form-error.tsx";
import { useSubmit } from "../use-submit.ts";

export function NoteBox({ story }: { story: string }) {
  const { attempt } = useActions();
  const isOffline = useIsOffline();
  const [text, setText] = useState("");
  const { isBusy, error, submit } = useSubmit(attempt, () => setText(""));
  const send = (): void => {
    if (text.trim() !== "") void submit({ act: "note", story, text: text.trim() });
  };
  return (
    <form
      className="mb-7"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <div className="flex items-end gap-2">
        <TextArea
          label="Note to the agent"
          rows={1}
          placeholder="It gets this with its next tool call."
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send();
          }}
        />
        <Button type="submit" isBusy={isBusy} disabled={isOffline || text.trim() === ""}>
          Send
        </Button>
      </div>
      <FormError error={error} />
    </form>
  );
}
