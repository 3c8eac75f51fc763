// What a story asks for, as a text: to record it, and to compare two versions of it.

import * as z from "zod";
import type { GateDefinition } from "./weakened-definition.ts";

const texts = z.array(z.string());
const definitionSchema = z.object({
  story: z.object({
    checks: texts,
    needsTesting: z.boolean(),
    needsReview: z.boolean(),
    writeFiles: texts.optional(),
  }),
  tasks: z.array(
    z.object({
      id: z.string(),
      checks: texts,
      writeFiles: texts.optional(),
      splitFrom: z.string().optional(),
    }),
  ),
});

/** The same text for definitions that ask for the same. */
export const definitionText = (definition: GateDefinition): string =>
  JSON.stringify(definitionSchema.parse(definition));

export const parseDefinition = (fields: unknown): GateDefinition | undefined =>
  definitionSchema.safeParse(fields).data;

/** A story since a person's last edit. */
export interface EditedDefinition {
  readonly definition: GateDefinition;
  /** The commit before the story's own work at that time. Older records lack it. */
  readonly from: string | undefined;
}
