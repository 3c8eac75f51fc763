// What a person can have done from the page, and what came of it. Types only.

/** `POST /api/act`, with the header `x-saga-token`. Each is a command of Saga's own. */
export type Act =
  | {
      readonly act: "run" | "stop" | "resume" | "discard" | "merge" | "verify";
      readonly story: string;
    }
  | {
      readonly act: "accept";
      readonly story: string;
      readonly override?: readonly string[];
      readonly why?: string;
    }
  | { readonly act: "reject"; readonly story: string; readonly why: string }
  | {
      readonly act: "resolve";
      readonly story: string;
      readonly blocker: string;
      readonly answer: string;
    }
  | {
      readonly act: "epic-run";
      readonly epic: string;
      readonly parallel?: number;
      readonly merge?: boolean;
    }
  | { readonly act: "epic-stop"; readonly epic: string }
  | { readonly act: "session-stop"; readonly session: string }
  | { readonly act: "task-release"; readonly task: string; readonly answer?: string }
  | {
      readonly act: "task-add";
      readonly subject: string;
      readonly description?: string;
      readonly priority?: number;
      readonly label?: string;
    }
  | { readonly act: "pool-stop" | "pool-drain"; readonly instance: string };

export type Acted =
  | { readonly isOk: true; readonly text: string; readonly json: unknown }
  | { readonly isOk: false; readonly message: string; readonly hint?: string | undefined };
