// What a person can do from the page, and the result. Types only.

import type { DefinitionAction } from "./definition-actions.ts";

/** Limits of one run. A missing one comes from the project's settings. */
export interface RunLimits {
  readonly model?: string;
  readonly maxMinutes?: number;
  readonly maxCostUsd?: number;
}

/** `POST /api/act`, with the header `x-saga-token`. Each action is a saga command. */
export type PageAction =
  | DefinitionAction
  | {
      readonly act: "stop" | "discard" | "push" | "verify" | "archive" | "remove";
      readonly story: string;
    }
  | ({ readonly act: "run" | "resume"; readonly story: string } & RunLimits)
  /** `number`: as in `saga snapshot list`. */
  | { readonly act: "restore"; readonly story: string; readonly number: number }
  /** A person's note to the agent. The first line is its title. */
  | { readonly act: "note"; readonly story: string; readonly text: string }
  | {
      readonly act: "merge";
      readonly story: string;
      /** The person allowed Saga to update the checkout of the target. */
      readonly updateCheckout?: boolean;
    }
  | {
      readonly act: "accept";
      readonly story: string;
      /** Merge it at once. */
      readonly merge?: boolean;
      readonly override?: readonly string[];
      readonly why?: string;
    }
  /** `run`: continue the story at once. */
  | {
      readonly act: "reject";
      readonly story: string;
      readonly why: string;
      readonly run?: boolean;
    }
  | {
      readonly act: "resolve";
      readonly story: string;
      readonly blocker: string;
      readonly answer: string;
      readonly run?: boolean;
    }
  | ({
      readonly act: "epic-run";
      readonly epic: string;
      readonly parallel?: number;
      readonly merge?: boolean;
      readonly updateCheckout?: boolean;
    } & RunLimits)
  | { readonly act: "epic-stop"; readonly epic: string }
  | { readonly act: "epic-merge"; readonly epic: string; readonly updateCheckout?: boolean }
  /** An entry of the landing queue, by its name in `saga queue`. */
  | { readonly act: "queue-hold" | "queue-release" | "queue-drop"; readonly entry: string }
  /** Merges what waits, if no process does. */
  | { readonly act: "queue-run" }
  | { readonly act: "session-stop"; readonly session: string }
  | { readonly act: "task-release"; readonly task: string; readonly answer?: string }
  | {
      readonly act: "task-add";
      readonly subject: string;
      readonly description?: string;
      readonly priority?: number;
      readonly label?: string;
    }
  /** Names the list that the pool works through: `auto.task_list_id`. */
  | { readonly act: "pool-list"; readonly list: string }
  | { readonly act: "pool-start"; readonly workers?: number; readonly once?: boolean }
  | { readonly act: "pool-stop" | "pool-drain"; readonly instance: string };

export type ActionResult =
  | { readonly isOk: true; readonly text: string; readonly json: unknown }
  | {
      readonly isOk: false;
      readonly message: string;
      readonly hint?: string | undefined;
      /** Ask this before repeating the action with `updateCheckout`. */
      readonly question?: string | undefined;
    };
