// What the tools that Saga gives an agent have in common: what they are made with, and how they answer.

/** Handed in: only what runs an agent loads it, and it is large. */
export type Sdk = typeof import("@anthropic-ai/claude-agent-sdk");

export interface AnswerToAgent {
  readonly content: { type: "text"; text: string }[];
  readonly isError?: boolean;
  readonly [more: string]: unknown;
}

export const answer = (text: string): AnswerToAgent => ({ content: [{ type: "text", text }] });

/** The agent has to do something about it. */
export const objection = (text: string): AnswerToAgent => ({ ...answer(text), isError: true });
