// An agent run on the story: its prompt, its tools, and how it ended.

import { join } from "node:path";
import * as z from "zod";
import { budgetLeft } from "../../agent/cost.ts";
import type { AgentControl } from "../../agent/job.ts";
import { runAgent, type AgentResult } from "../../agent/run-agent.ts";
import { reportBlockerTool, sagaTool, type SagaTool } from "../../agent/saga-tool.ts";
import { TASK_TOOLS, WORK_TOOLS } from "../../agent/tool-names.ts";
import { CONTINUE } from "../../agent/usage-limit.ts";
import { storyFolder } from "../../repo/worktree/bring-story.ts";
import { CONFLICT_TASK } from "../../story/plan/fix-task.ts";
import { gateRules } from "../../story/prompts/gate-rules.ts";
import { promptNotes } from "../../story/prompts/person-notes.ts";
import { feedback, headlessPrompt } from "../../story/prompts/story-prompt.ts";
import { gateFacts } from "../gate-facts.ts";
import { restoreGuardedFiles } from "../restore-guarded-files.ts";
import { mustStayWhole } from "../split/split-journal.ts";
import type { TaskList } from "../steps/hydrate.ts";
import { storyAgentHooks, type HookState } from "./agent-hooks.ts";
import { newConflictNotes, watchConflicts } from "../early-warning/watch-conflicts.ts";
import { storyAgentScope, storyEmployer, storyVariables } from "./employer.ts";
import { deliverWithPrompt, watchNotes } from "./watch-notes.ts";
import { watchSize } from "./watch-size.ts";
import type { PreparedWork } from "../context.ts";

interface StoryAgentRequest {
  readonly list: TaskList;
  /** The conversation to continue. */
  readonly resume: string | undefined;
  /** The conversation had ended, and a person sent its work back. */
  readonly isSentBack?: boolean | undefined;
  readonly deadlineMs: number;
}

export interface StoryAgentResult {
  readonly end: AgentResult["end"];
  readonly isBlocked: boolean;
  readonly hasTimedOut: boolean;
  /** Set if the run was stopped because it made no progress, or because its task grew too large. */
  readonly stuck: StuckAgent | undefined;
}

/** Why a run was stopped from outside. */
export interface StuckAgent {
  /** The task that was in progress. */
  readonly task: string | undefined;
  /** A sentence. */
  readonly reason: string;
}

export async function runStoryAgent(
  work: PreparedWork,
  request: StoryAgentRequest,
): Promise<StoryAgentResult> {
  const { context, worktree: folder, git, exclude } = work;
  const { storyId, model } = work.request;
  const journal = await context.store.readJournal(storyId);
  const gate = await gateFacts(work);
  const template = await context.store.promptTemplate();
  const state: HookState = {
    isBlocked: false,
    workCalls: 0,
    currentTask: undefined,
    isCompleting: false,
  };
  const notes = { delivered: work.deliveredNotes, record: work.record };
  // A conversation that continues after a usage limit knows its notes already.
  if (request.resume === undefined || request.isSentBack) deliverWithPrompt(notes, journal);
  const { end, hasTimedOut, stuck } = await runAgent(storyEmployer(work, work.meter), {
    folder,
    worktreeOf: work.repository.project,
    taskListId: request.list.id,
    variables: storyVariables(work, { taskListId: request.list.id, folder, ports: work.ports }),
    prompt:
      request.resume === undefined
        ? headlessPrompt(work.story.definition(), journal, { template, gate })
        : request.isSentBack
          ? [feedback(journal), promptNotes(journal), NEW_TASKS, gateRules(gate)]
              .filter((part) => part !== undefined)
              .join("\n\n")
          : CONTINUE,
    model,
    timeoutMs: request.deadlineMs - context.now(),
    maxCostUsd: budgetLeft(work),
    tools: [...WORK_TOOLS, ...context.settings.claude.tools],
    requiredTools: TASK_TOOLS,
    shell: work,
    snapshots: {
      git,
      storyId,
      exclude,
      prepare: () => restoreGuardedFiles(work),
      onSaved: work.sharing.pushSnapshot,
    },
    conversation: { resume: request.resume },
    hooks(control) {
      const size = watchSize(work, {
        state,
        control,
        // While a merge is in progress, the target's changes are in the worktree too.
        isExempt: (taskId) => taskId === CONFLICT_TASK || mustStayWhole(journal, taskId),
      });
      // A new conversation does not know what an earlier one was told.
      if (request.resume === undefined) Object.assign(work.conflictNotes, newConflictNotes());
      const conflicts = watchConflicts(work, work.conflictNotes);
      const scope = storyAgentScope(work, folder);
      return {
        ...storyAgentHooks(work, {
          state,
          control,
          size,
          conflicts,
          scope,
          notes: watchNotes({ ...notes, folder: join(folder, storyFolder(storyId)) }),
        }),
        sagaTools: storyTools(work, state, control),
      };
    },
  });
  return {
    end,
    isBlocked: state.isBlocked,
    hasTimedOut,
    stuck: stuck === undefined ? undefined : { task: state.currentTask, reason: stuck },
  };
}

const NEW_TASKS =
  "There is a new task list with the remaining work. Read it with TaskList, and work through it as before.";

function storyTools(
  { context, record, request }: PreparedWork,
  state: HookState,
  control: AgentControl,
): readonly SagaTool[] {
  const at = (): string => new Date(context.now()).toISOString();
  // The journal is committed: a secret in it would stay in git's history.
  const { redact } = record;
  return [
    sagaTool(
      "journal",
      "Records a decision you made, or a diversion from what the story asked for, in the story's journal. People read it.",
      {
        kind: z.enum(["decision", "diversion"]),
        title: z.string().min(1).describe("One line: what was decided."),
        body: z.string().default("").describe("Why, and what else was possible."),
      },
      async ({ kind, title: heading, body: text }) => {
        const [title, body] = [redact(heading), redact(text)];
        await context.store.appendJournal(request.storyId, { kind, at: at(), title, body });
        record.note({ type: "journal", kind, title });
        return { text: "Recorded in the journal." };
      },
    ),
    reportBlockerTool("Stops the work on this story", async ({ title: heading, body: text }) => {
      const [title, body] = [redact(heading), redact(text)];
      const entry = { kind: "blocker", at: at(), title, body } as const;
      const { blocker } = await context.store.appendJournal(request.storyId, entry);
      record.note({ type: "journal", kind: "blocker", title }, { isDurable: true });
      state.isBlocked = true;
      control.finish("Your question is recorded. A person will answer it. End your turn now.");
      return `Recorded as blocker ${blocker}. A person will answer it. End your turn now.`;
    }),
  ];
}
