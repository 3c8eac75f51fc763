// An agent run on a task of the pool: its tools, what it may do to the list, and how it ended. The next run may
// continue the same conversation.

import type { ToolCall } from "../../agent/agent.ts";
import { budgetLeft } from "../../agent/cost.ts";
import { runAgent, type AgentResult } from "../../agent/run-agent.ts";
import { agentScope, agentVariables } from "../../agent/place/agent-place.ts";
import type { BlockerQuestion } from "../../agent/saga-tool.ts";
import type { ScopeVerdict } from "../../agent/scope/scope.ts";
import { judgeToolCall } from "../../agent/tool-call.ts";
import { TASK_TOOLS, WORK_TOOLS } from "../../agent/tool-names.ts";
import { messageWithHint } from "../../errors.ts";
import type { PreparedTaskWork } from "./context.ts";
import { judgeTaskCall, SAGA_SETS_IT } from "./judge-task-call.ts";
import { FINISH, poolTools, type Finish } from "./tools.ts";

export interface TaskAgentRequest {
  readonly prompt: string;
  readonly resume: string | undefined;
  readonly deadlineMs: number;
  /** Why the agent's finish is not accepted, for the agent; undefined if it is. */
  readonly whyNotFinished: (finish: Finish) => Promise<string | undefined>;
}

export interface TaskAgentResult extends AgentResult {
  readonly finish: Finish | undefined;
  readonly question: BlockerQuestion | undefined;
}

const NO_MORE = "Your answer is recorded. End your turn now.";

export async function runTaskAgent(
  work: PreparedTaskWork,
  request: TaskAgentRequest,
): Promise<TaskAgentResult> {
  const { worker, record, meter, worktree: folder, git, gitDir, exclude } = work;
  const { settings, now, repository, name: storyId } = worker;
  const { project } = repository;
  const scope = agentScope({ ...worker, project, storyId, folder, readable: work.readable });
  const given: { finish?: Finish; question?: BlockerQuestion } = {};
  const run = await runAgent(
    { ...worker, record, meter },
    {
      folder,
      worktreeOf: project,
      taskListId: worker.list,
      variables: agentVariables({
        storyId,
        taskListId: worker.list,
        folder,
        sessionDir: worker.sessionDir,
        ports: work.ports,
      }),
      prompt: request.prompt,
      model: work.request.model,
      timeoutMs: request.deadlineMs - now(),
      maxCostUsd: budgetLeft(work),
      tools: [...WORK_TOOLS, ...settings.claude.tools],
      requiredTools: [...TASK_TOOLS, FINISH],
      shell: { gitDir, repository },
      snapshots: { git, storyId, exclude },
      conversation: { resume: request.resume },
      hooks: (control) => ({
        judge,
        // The agent's own TaskUpdate is already refused; this also covers a subagent's.
        tasks: SAGA_SETS_IT,
        onCall: () => worker.report({ lastToolAt: new Date(now()).toISOString() }),
        onTaskCreated: (taskId) => void work.made.add(taskId),
        sagaTools: poolTools({
          async finish(finish) {
            // An error is no verdict: the agent may give up on it, so the question is asked again first.
            const why = await request
              .whyNotFinished(finish)
              .catch(() => request.whyNotFinished(finish))
              .catch(messageWithHint);
            if (why !== undefined) return why;
            given.finish ??= finish;
            control.finish(NO_MORE);
            return "Accepted. End your turn now.";
          },
          async reportBlocker(question) {
            given.question ??= question;
            const { title } = question;
            record.note({ type: "journal", kind: "blocker", title }, { isDurable: true });
            control.finish(NO_MORE);
            return "A person will answer it. End your turn now.";
          },
        }),
      }),
    },
  );
  // A run that the usage limit ended does not count.
  if (run.end.outcome.kind !== "limit") record.update({ cycles: record.run().cycles + 1 });
  return { ...run, finish: given.finish, question: given.question };

  function judge(call: ToolCall): ScopeVerdict | Promise<ScopeVerdict> {
    const { tool, input } = call;
    return tool === "TaskUpdate" || tool === "TaskCreate"
      ? judgeTaskCall({ tool, input }, { list: worker.listFolder, made: work.made })
      : judgeToolCall(scope, call);
  }
}
