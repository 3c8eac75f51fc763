// What a tool of Saga's answers to the agent that called it.

export interface AnswerToAgent {
  readonly content: { type: "text"; text: string }[];
  readonly isError?: boolean;
  readonly [more: string]: unknown;
}

export const answer = (text: string): AnswerToAgent => ({ content: [{ type: "text", text }] });

/** The agent has to do something about it. */
export const objection = (text: string): AnswerToAgent => ({ ...answer(text), isError: true });
