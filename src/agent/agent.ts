// The interface to a coding agent. Employers (worker, pool, inspectors, planner, overseer) run one through
// `run-agent.ts`; an implementation, such as `claude/agent.ts`, starts its program and translates.
//
// Tool calls have one vocabulary, that of Claude Code (`Bash` with `command`, `Write` with `file_path`, `TaskUpdate`
// with `taskId`): scope, shell rules and logs are written in it. Another implementation translates its own.

import type { Environment } from "../machine/processes/environment.ts";
import type { ProcessId } from "../machine/processes/process-id.ts";
import type { ProcessMark } from "../machine/processes/process-tree.ts";
import type { Status } from "../story/definition/status.ts";
import type { StoryEvent } from "../story/state/story-event.ts";
import type { SagaTool } from "./saga-tool.ts";
import type { SandboxPlace } from "./place/sandbox.ts";
import type { ScopedCall, ScopeVerdict } from "./scope/scope.ts";

export interface Agent {
  /** Prepares what takes time before the first run. An error appears again when an agent is run. */
  readonly preload: (env: Environment) => void;
  /** One run, from its start to the end of its last process. */
  readonly run: (request: AgentRequest) => Promise<AgentEnd>;
  /** The list price of an answer, in US dollars. */
  readonly priceOf: (usage: Usage) => number;
  /** Files that the agent's program may put into a worktree while it runs: never committed. Relative paths. */
  readonly ownFiles: (worktree: string) => readonly string[];
  /** Removes such files that a run left. */
  readonly removeOwnFiles: (worktree: string, commonDir: string) => void;
}

export interface AgentRequest {
  readonly cwd: string;
  /**
   * The trusted checkout that `cwd` is a worktree of. The agent's configuration (hooks, servers, permissions) comes
   * from there, not from the branch, and its tools write files in `cwd` only.
   */
  readonly worktreeOf: string | undefined;
  /** The employer's environment. An implementation takes what its program needs, and nothing else. */
  readonly env: Environment;
  /** Further variables of `env` that the settings pass on. */
  readonly passEnv: readonly string[];
  /** Set for the agent and its commands: they name the work, its ports and caches. */
  readonly variables: Readonly<Record<string, string>>;
  /** One of `variables` that only this run's processes have: they are found by it. */
  readonly mark: ProcessMark;
  /** The id of its task list, in the format of `claude/tasks`. */
  readonly taskListId: string;
  readonly prompt: string;
  readonly model: string | undefined;
  /** The conversation to continue. */
  readonly resume: string | undefined;
  /** Tools of the agent's program that it may use. */
  readonly tools: readonly string[];
  readonly sagaTools: readonly SagaTool[];
  /** The run is refused without these tools. */
  readonly requiredTools: readonly string[];
  /** Undefined if shell commands run without the sandbox. */
  readonly sandbox: SandboxPlace | undefined;
  readonly hooks: AgentHooks;
  readonly meter: UsageMeter;
  readonly onStart: (agent: ProcessId) => void;
  readonly onEvent: (event: AgentEvent) => void;
  readonly onAnswer: (answer: ToolAnswer) => void;
  /** Ends the run when it aborts. */
  readonly stop: AbortSignal;
}

export interface AgentEnd {
  readonly outcome: Outcome;
  readonly conversation: string | undefined;
  readonly model: string | undefined;
}

/** The agent waits for the answer of each. An error of Saga refuses: what could not be judged must not happen. */
export interface AgentHooks {
  readonly beforeTool: (call: ToolCall) => ScopeVerdict | Promise<ScopeVerdict>;
  /** A note that the agent reads with an allowed call. */
  readonly noteForAgent?: (() => string | undefined) | undefined;
  /** Called before a completion is written; a refusal leaves the task as it is. */
  readonly beforeCompletion: (taskId: string) => ScopeVerdict | Promise<ScopeVerdict>;
  /** Called after the list was changed. */
  readonly afterTaskChange: (change: StatusChange) => void | Promise<void>;
  /** Called after the agent has added a task to the list. */
  readonly afterTaskCreation?: ((taskId: string) => void) | undefined;
}

export interface ToolCall extends ScopedCall {
  readonly id: string;
}

/** The answer of a tool: its result, or the text of its error. */
export interface ToolAnswer {
  readonly id: string;
  readonly isError: boolean;
  readonly response: unknown;
}

/** What a call really changed in the task list. */
export interface StatusChange {
  readonly taskId: string;
  readonly to: Status;
}

export type Outcome =
  | { readonly kind: "ended" }
  | { readonly kind: "stopped" }
  /** Temporary: wait, then continue the same conversation. */
  | {
      readonly kind: "limit";
      readonly reason: string;
      readonly resetsAtMs: number | undefined;
      /** The model family that reached it, such as `opus`; undefined for all models. */
      readonly family?: string | undefined;
    }
  /** `isShared`: the spent budget is not this run's alone. */
  | { readonly kind: "over-budget"; readonly reason: string; readonly isShared?: boolean }
  /** A retry cannot help: the person has to change something. */
  | { readonly kind: "refused"; readonly reason: string; readonly hint: string }
  | {
      readonly kind: "crashed";
      readonly reason: string;
      /** The agent no longer has the conversation to resume: a new one can be started. */
      readonly isConversationLost?: true;
    };

export type LimitOutcome = Extract<Outcome, { kind: "limit" }>;

export type AgentEvent = Extract<StoryEvent, { type: `agent.${string}` }>;

/** What a run reports about its cost. */
export interface UsageMeter {
  readonly named: (conversation: string) => void;
  readonly used: (usage: Usage) => void;
  readonly billed: (bill: Bill) => void;
}

/** As the agent reports it: for the whole conversation, including earlier runs. */
export interface Bill {
  readonly costUsd: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** In US dollars. */
  readonly byModel: Readonly<Record<string, number>>;
}

/** The usage of one answer of the model. An answer may be reported in parts with the same id and usage. */
export interface Usage {
  readonly answerId: string;
  readonly model: string;
  /** Including cache reads and writes. */
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** The part of the cache writes that is kept for an hour. */
  readonly cacheWriteHourTokens: number;
  readonly outputTokens: number;
  /** The length of this part: text, thinking and tool input. */
  readonly characters: number;
}
