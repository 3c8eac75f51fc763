// What an employer asks of one agent run, and what it decides while the agent works. All that runs have in common is
// in `run-agent.ts`.

import type { Snapshot } from "../repo/snapshots/snapshot.ts";
import type { Git } from "../machine/programs/git.ts";
import type { Context } from "../context.ts";
import type { RunRecord } from "../story/state/run-record.ts";
import type { Settings } from "../story/settings/settings.ts";
import type { Agent, StatusChange, ToolAnswer, ToolCall } from "./agent.ts";
import type { CostMeter } from "./cost.ts";
import type { SagaTool } from "./saga-tool.ts";
import type { ScopeVerdict } from "./scope/scope.ts";

/** What all agent runs of one employer share. */
export interface Employer extends Pick<Context, "env" | "now" | "stop"> {
  readonly agent: Agent;
  readonly settings: Pick<Settings, "claude" | "watch">;
  readonly record: RunRecord;
  readonly meter: CostMeter;
  /** A budget that is shared with others: an agent is drained when it is spent. */
  readonly budget?: SharedBudget | undefined;
}

export interface SharedBudget {
  /** Aborts when the budget is spent. */
  readonly signal: AbortSignal;
  /** Then: the reason, as a sentence. */
  readonly reason: () => string | undefined;
}

export interface AgentJob {
  /** The folder that the agent works in. */
  readonly folder: string;
  /** The person's checkout, if `folder` is a worktree of it. */
  readonly worktreeOf?: string | undefined;
  readonly taskListId: string;
  /** They name the work and its ports. */
  readonly variables: Readonly<Record<string, string>>;
  readonly prompt: string;
  readonly model: string;
  readonly timeoutMs: number;
  readonly maxCostUsd: number | undefined;
  readonly tools: readonly string[];
  readonly requiredTools: readonly string[];
  /** Set if the agent may run commands. */
  readonly shell?: JobShell | undefined;
  /** Set if uncommitted changes are saved at each check-in. */
  readonly snapshots?: JobSnapshots | undefined;
  /** Set if a later run may continue the conversation: it is recorded. */
  readonly conversation?: { readonly resume: string | undefined };
  readonly hooks: (control: AgentControl) => JobHooks;
}

export interface JobShell {
  /** The own git directory of the worktree. */
  readonly gitDir: string;
  readonly repository: { readonly git: Git; readonly commonDir: string };
}

export interface JobSnapshots {
  /** Runs in the worktree. */
  readonly git: Git;
  readonly storyId: string;
  readonly exclude: readonly string[];
  /** Called before each. */
  readonly prepare?: () => void;
  readonly onSaved?: (snapshot: Snapshot) => Promise<void>;
}

/** How an employer ends a run. */
export interface AgentControl {
  /** Aborts when the run has to end, for whatever reason. */
  readonly signal: AbortSignal;
  /** The agent has given its final answer: every further call is refused with this sentence. */
  readonly finish: (sentence: string) => void;
  /** Ends the run because it makes no progress; a sentence. */
  readonly endAsStuck: (reason: string) => void;
}

export interface JobHooks {
  readonly sagaTools: readonly SagaTool[];
  readonly judge: (call: ToolCall) => ScopeVerdict | Promise<ScopeVerdict>;
  /** What happens to the tasks of its list, or why it may not complete any. */
  readonly tasks: TaskHooks | string;
  readonly onTaskCreated?: (taskId: string) => void;
  readonly onCall?: (call: ToolCall, verdict: ScopeVerdict) => void;
  /** For an allowed call. */
  readonly onAnswer?: (call: ToolCall, answer: ToolAnswer) => void;
  /** A note that the agent reads with an allowed call. */
  readonly noteForAgent?: () => string | undefined;
  readonly onCheckIn?: () => void;
  /** While true, the agent is not stuck: Saga itself works for it, with its own time limits. */
  readonly isBusy?: () => boolean;
  /** Called after the agent has ended; resolves when nothing of it is running any more. */
  readonly settled?: () => Promise<void>;
}

/** Called one after the other, in the order of the agent's calls. */
export interface TaskHooks {
  readonly mayComplete: (taskId: string) => Promise<ScopeVerdict>;
  readonly onChange: (change: StatusChange) => Promise<void>;
}
