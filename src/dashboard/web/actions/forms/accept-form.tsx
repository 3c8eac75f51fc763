import { useState } from "react";
import { BY_LOOKING } from "../../../../story/receipts/override.ts";
import { RULES } from "../../../../story/receipts/rules.ts";
import { useStoryDetail } from "../../live/hooks.ts";
import { Disclosure } from "../../parts/disclosure.tsx";
import { TextArea } from "../../parts/field.tsx";
import { Loading } from "../../parts/layout.tsx";
import type { StoryDetail } from "../../../protocol/details.ts";
import { ruleChoices, type RuleChoice } from "../accept-rules.ts";
import { ActionForm, type FormProps } from "./action-form.tsx";

interface AcceptProps extends FormProps {
  readonly story: string;
}

export function AcceptForm(props: AcceptProps) {
  const { value: detail, error } = useStoryDetail(props.story);
  if (detail !== undefined) return <Approval {...props} detail={detail} />;
  return error === undefined ? <Loading what="the receipts" /> : <p className="text-sm">{error}</p>;
}

function Approval({ story, detail, ...form }: AcceptProps & { detail: StoryDetail }) {
  const [override, setOverride] = useState<ReadonlySet<string>>(new Set());
  const [why, setWhy] = useState("");
  const choices = ruleChoices(detail);
  const isReady =
    choices.every(({ rule, isNeeded }) => !isNeeded || override.has(rule)) &&
    (override.size === 0 || why.trim() !== "");
  const toggle = (rule: string): void => {
    const next = new Set(override);
    if (!next.delete(rule)) next.add(rule);
    setOverride(next);
  };
  const overrides = override.size > 0 ? { override: [...override], why: why.trim() } : {};
  const act = { act: "accept" as const, story, ...overrides };
  return (
    <ActionForm
      {...form}
      word="Accept"
      act={act}
      other={{ word: "Accept and merge", act: { ...act, merge: true }, isMain: true }}
      isReady={isReady}
    >
      {(error) => (
        <>
          <p className="text-sm text-soft">{aboutGates(detail, choices)}</p>
          {choices.length > 0 && (
            <fieldset className="my-3 space-y-2">
              <legend className="sr-only">Rules to override</legend>
              {choices.map((choice) => (
                <RuleBox
                  key={choice.rule}
                  choice={choice}
                  isChecked={override.has(choice.rule)}
                  onToggle={() => toggle(choice.rule)}
                />
              ))}
            </fieldset>
          )}
          <OtherRules
            listed={choices}
            override={override}
            onToggle={toggle}
            isOpen={error !== undefined}
          />
          {(override.size > 0 || choices.some(({ isNeeded }) => isNeeded)) && (
            <div className="mt-3">
              <TextArea
                label="Why?"
                rows={2}
                required
                value={why}
                onChange={(event) => setWhy(event.target.value)}
              />
            </div>
          )}
        </>
      )}
    </ActionForm>
  );
}

function aboutGates({ missing }: StoryDetail, choices: readonly RuleChoice[]): string {
  if (choices.some(({ isNeeded }) => isNeeded)) {
    return "The gate refused this story. To accept it anyway, override each rule. Your reason is recorded.";
  }
  if (missing.length === 0) return "All checks passed. Your approval applies to this commit.";
  const last =
    choices.length > 0 ? " The last gate run refused this; override what still applies." : "";
  return `The gate has not run on this code yet. It runs first, which may take a while.${last}`;
}

function RuleBox({
  choice: { rule, messages },
  isChecked,
  onToggle,
}: {
  choice: Pick<RuleChoice, "rule" | "messages">;
  isChecked: boolean;
  onToggle: () => void;
}) {
  return (
    <label className="flex items-start gap-2.5 text-sm">
      <input type="checkbox" className="mt-1" checked={isChecked} onChange={onToggle} />
      <span className="min-w-0">
        <code className="font-mono text-xs">{rule}</code>
        {messages.map((message) => (
          <span key={message} className="block wrap-anywhere text-soft">
            {message}
          </span>
        ))}
      </span>
    </label>
  );
}

/** The gate may find more when it runs, so every rule can be overridden in advance. */
function OtherRules({
  listed,
  override,
  onToggle,
  isOpen,
}: {
  listed: readonly RuleChoice[];
  override: ReadonlySet<string>;
  onToggle: (rule: string) => void;
  isOpen: boolean;
}) {
  const others = RULES.filter(
    (rule) => !BY_LOOKING.has(rule) && !listed.some((one) => one.rule === rule),
  );
  return (
    <Disclosure word="Override another rule" className="mt-3" isOpen={isOpen}>
      <fieldset className="mt-2 grid grid-cols-2 gap-1.5">
        <legend className="sr-only">Other rules</legend>
        {others.map((rule) => (
          <RuleBox
            key={rule}
            choice={{ rule, messages: [] }}
            isChecked={override.has(rule)}
            onToggle={() => onToggle(rule)}
          />
        ))}
      </fieldset>
    </Disclosure>
  );
}
