// What all tools of Saga for agents share: the SDK, and the form of an answer.

/** Passed as a parameter: it is large, and only code that runs an agent loads it. */
export type Sdk = typeof import("@anthropic-ai/claude-agent-sdk");

export interface AnswerToAgent {
  readonly content: { type: "text"; text: string }[];
  readonly isError?: boolean;
  readonly [more: string]: unknown;
}

export const answer = (text: string): AnswerToAgent => ({ content: [{ type: "text", text }] });

/** An error that the agent has to fix. */
export const objection = (text: string): AnswerToAgent => ({ ...answer(text), isError: true });
