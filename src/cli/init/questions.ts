// The four questions of `saga init`, each with a default that Enter takes. Only the answers that differ from the defaults
// become settings.

export interface InitQuestion {
  readonly text: string;
  readonly fallback: string;
  /** The setting and its value; undefined keeps the default. Throws a sentence for an answer that makes no sense. */
  readonly settingOf: (answer: string) => InitSetting | undefined;
}

export interface InitSetting {
  readonly key: string;
  readonly value: unknown;
}

export function initQuestions({ check }: { readonly check: string | undefined }): InitQuestion[] {
  return [
    {
      text: "Command that must succeed before work counts (- for none)",
      fallback: check ?? "-",
      settingOf: (answer) => (answer === "-" ? undefined : { key: "plan.checks", value: [answer] }),
    },
    {
      text: "Push story branches: auto (when pull requests are on GitHub), always or never",
      fallback: "auto",
      settingOf: (answer) =>
        choice("git.push", answer, { auto: undefined, always: "always", never: "never" }),
    },
    {
      text: "Notify you on the desktop: auto (where that works), yes or no",
      fallback: "auto",
      settingOf: (answer) =>
        choice("notices.desktop", answer, { auto: undefined, yes: true, no: false }),
    },
    {
      text: "Budget of a day for all runs, in US dollars (0 for no limit)",
      fallback: "0",
      settingOf: (answer) => {
        const value = Number(answer.replace(/^\$/, ""));
        if (!Number.isFinite(value) || value < 0) throw new Error("Write a number, such as 20.");
        return value === 0 ? undefined : { key: "budget.day", value };
      },
    },
  ];
}

function choice(
  key: string,
  answer: string,
  values: Readonly<Record<string, unknown>>,
): InitSetting | undefined {
  if (!Object.hasOwn(values, answer)) {
    throw new Error(`Use one of: ${Object.keys(values).join(", ")}.`);
  }
  const value = values[answer];
  return value === undefined ? undefined : { key, value };
}
