import type { Part } from "../../src/story/plan/split-proposal.ts";

/** New tasks for a split. */
export const aPart = (id: string, more: Partial<Part> = {}): Part => ({
  id,
  subject: `Do ${id}`,
  description: `How to do ${id}.`,
  writeFiles: [`src/${id}.ts`],
  estimatedLines: 50,
  ...more,
});
