// The events of a run. Each is a line of its log: event-line.ts.

import type { Status } from "../definition/status.ts";
import type { Receipt } from "../receipts/receipt.ts";
import type { RunOutcome } from "./state.ts";

export type StoryEvent =
  | { readonly type: "run.started"; readonly session?: string | undefined }
  | {
      readonly type: "step.done";
      readonly step: string;
      readonly ms: number;
      readonly about: string;
    }
  | {
      readonly type: "cycle.started";
      readonly cycle: number;
      readonly maxCycles?: number | undefined;
      readonly tasksLeft: number;
    }
  | { readonly type: "agent.started"; readonly conversation: string; readonly model: string }
  | { readonly type: "agent.said"; readonly text: string }
  | {
      readonly type: "agent.retries";
      readonly attempt: number;
      readonly status?: number | undefined;
      readonly waitMs: number;
    }
  | {
      readonly type: "agent.billed";
      readonly costUsd: number;
      readonly inputTokens: number;
      readonly outputTokens: number;
      /** Estimated by Saga, because the agent ended without a report. */
      readonly isEstimate?: boolean | undefined;
    }
  | {
      readonly type: "tool.called";
      readonly id: string;
      readonly tool: string;
      readonly about: string;
    }
  | {
      readonly type: "tool.refused";
      readonly id: string;
      readonly tool: string;
      readonly reason: string;
    }
  | {
      readonly type: "tool.answered";
      readonly id: string;
      readonly tool: string;
      readonly isError: boolean;
      readonly ms?: number | undefined;
      readonly about: string;
    }
  | { readonly type: "task.changed"; readonly task: string; readonly to: Status }
  | { readonly type: "task.added"; readonly task: string; readonly subject: string }
  | ({ readonly type: "gate" } & Omit<Receipt, "at">)
  | { readonly type: "task.passed"; readonly task: string }
  | { readonly type: "task.refused"; readonly task: string; readonly reason: string }
  | { readonly type: "task.committed"; readonly task: string; readonly commit: string }
  /** The unfinished work of a task that was stopped. */
  | { readonly type: "part.committed"; readonly task: string; readonly commit: string }
  | {
      readonly type: "task.split";
      readonly task: string;
      readonly into: readonly string[];
      readonly reason: string;
    }
  | {
      readonly type: "check-in";
      /** Since the last one. */
      readonly toolUses: number;
      /** The number of silent check-ins in a row, including this one. */
      readonly silent: number;
      /** The oldest call that is still running. */
      readonly inFlight?: { readonly tool: string; readonly ms: number } | undefined;
    }
  | {
      readonly type: "task.grows";
      readonly task: string;
      readonly files: number;
      readonly lines: number;
      /** It was completed above the maximum size before its size was checked. */
      readonly isCompleted?: boolean | undefined;
    }
  /** Merged now, the story would conflict with another one or with its target. */
  | {
      readonly type: "conflict.ahead";
      readonly kind: "story" | "target";
      readonly with: string;
      readonly files: readonly string[];
    }
  | { readonly type: "kept"; readonly ref: string; readonly why: string }
  | { readonly type: "taken-over"; readonly machine: string; readonly snapshot: string }
  | { readonly type: "journal"; readonly kind: string; readonly title: string }
  /** The agent got a person's note: with a tool call, or with its prompt. */
  | { readonly type: "note.delivered"; readonly title: string }
  | { readonly type: "limit.reached"; readonly reason: string; readonly until: string }
  | { readonly type: "warning"; readonly message: string }
  | { readonly type: "run.killed" }
  | {
      readonly type: "run.ended";
      readonly outcome: RunOutcome;
      readonly reason: string;
      readonly cycles: number;
      readonly ms: number;
      readonly costUsd: number;
      readonly costIsEstimate?: boolean | undefined;
      /** The next command, if a story's worker ended. */
      readonly next?: string | undefined;
    };
