// What an agent's run came to, for tests of decisions about it.

import type { AgentResult } from "../../src/agent/run-agent.ts";

export const agentResult = (outcome: object, more: object = {}): AgentResult =>
  ({
    end: { outcome },
    hasTimedOut: false,
    stuck: undefined,
    lastWords: "",
    ...more,
  }) as unknown as AgentResult;
