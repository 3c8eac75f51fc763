// What Saga uses of the agent SDK: a file of its own in `dist`, which only processes that run an agent load.
// `core` is the part of it to be bundled.

export { createSdkMcpServer, query, tool } from "@anthropic-ai/claude-agent-sdk/core";
