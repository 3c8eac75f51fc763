// Tools that Saga gives to an agent, described as data: an implementation offers them in its own way.

import * as z from "zod";

export interface SagaTool {
  /** Without the prefix; `sagaToolName` is the name in a tool call. */
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodObject;
  /** Throws if the input does not match the schema. */
  readonly run: (input: unknown) => Promise<SagaToolAnswer>;
}

export interface SagaToolAnswer {
  /** What the agent reads. */
  readonly text: string;
  /** The agent has to correct its call. */
  readonly isError?: boolean;
}

/** As clients of MCP name the tools of a server `saga`. */
export const sagaToolName = (name: string): string => `mcp__saga__${name}`;

export const sagaTool = <Shape extends z.ZodRawShape>(
  name: string,
  description: string,
  shape: Shape,
  run: (input: z.output<z.ZodObject<Shape>>) => SagaToolAnswer | Promise<SagaToolAnswer>,
): SagaTool => {
  const input = z.object(shape);
  return { name, description, input, run: async (given) => run(input.parse(given)) };
};

export interface BlockerQuestion {
  readonly title: string;
  readonly body: string;
}

/** Asks a person. `effect` starts the description, such as `Stops the work on this story`. */
export const reportBlockerTool = (
  effect: string,
  ask: (question: BlockerQuestion) => Promise<string>,
): SagaTool =>
  sagaTool(
    "report_blocker",
    `${effect} with a question that only a person can answer. Use it when you cannot continue without a decision; do not guess.`,
    {
      title: z.string().min(1).describe("The question, in one line."),
      body: z
        .string()
        .default("")
        .describe("What you found, what the possible answers are, and what each would mean."),
    },
    async (question) => ({ text: await ask(question) }),
  );
