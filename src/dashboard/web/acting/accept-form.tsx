// A person's word on a finished story. What the gates hold against it has to be set aside by name, with a reason.

import { useState } from "react";
import { useStoryDetail } from "../live/hooks.ts";
import { Button } from "../parts/button.tsx";
import { TextArea } from "../parts/field.tsx";
import { Loading } from "../parts/layout.tsx";
import type { Perform } from "./act-dialog.tsx";
import { Refused } from "./refused.tsx";
import { useSubmit } from "./use-submit.ts";

export function AcceptForm({
  story,
  perform,
  onDone,
}: {
  story: string;
  perform: Perform;
  onDone: () => void;
}) {
  const { value: detail, error } = useStoryDetail(story);
  const [override, setOverride] = useState<ReadonlySet<string>>(new Set());
  const [why, setWhy] = useState("");
  const { isBusy, refused, submit } = useSubmit(perform, onDone);
  if (detail === undefined) {
    return error === undefined ? (
      <Loading what="the receipts" />
    ) : (
      <p className="text-sm">{error}</p>
    );
  }
  const rules = [...new Set(detail.objections.map(({ rule }) => rule))];
  const isReady = rules.every((rule) => override.has(rule)) && (rules.length === 0 || why.trim());
  const toggle = (rule: string): void => {
    const next = new Set(override);
    if (!next.delete(rule)) next.add(rule);
    setOverride(next);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const setAside = rules.length > 0 ? { override: [...override], why: why.trim() } : {};
        void submit({ act: "accept", story, ...setAside });
      }}
    >
      <p className="text-sm text-soft">
        {rules.length === 0
          ? "Nothing is held against it. Your word is recorded for the code as it is now."
          : "The gates hold this against it. What you set aside is recorded, with the reason."}
      </p>
      {detail.missing.length > 0 && (
        <p className="mt-2 text-sm text-ask">Not looked at yet: {detail.missing.join("; ")}.</p>
      )}
      {rules.length > 0 && (
        <>
          <fieldset className="my-3 space-y-2">
            <legend className="sr-only">Set aside</legend>
            {rules.map((rule) => (
              <label key={rule} className="flex items-start gap-2.5 text-sm">
                <input
                  type="checkbox"
                  className="mt-1"
                  checked={override.has(rule)}
                  onChange={() => toggle(rule)}
                />
                <span>
                  <code className="font-mono text-xs">{rule}</code>
                  {detail.objections
                    .filter((one) => one.rule === rule)
                    .map(({ message }) => (
                      <span key={message} className="block text-soft">
                        {message}
                      </span>
                    ))}
                </span>
              </label>
            ))}
          </fieldset>
          <TextArea
            label="Why?"
            rows={2}
            required
            value={why}
            onChange={(event) => setWhy(event.target.value)}
          />
        </>
      )}
      <Refused refused={refused} />
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" look="main" isBusy={isBusy} disabled={!isReady}>
          Accept
        </Button>
      </div>
    </form>
  );
}
