// The record that a gate was passed or not: which gate, on which tree, with what result. It is part of
// the run, of the journal and of the pull request's text.

import * as z from "zod";
import { FINDING_RULES, type RULES } from "./rules.ts";

const GATES = ["check", "diff", "test", "review", "person"] as const;

const objectId = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, "is not an id of git's");

export type GateRule = (typeof RULES)[number];

const findingSchema = z.object({
  rule: z.enum(FINDING_RULES),
  file: z.string().optional(),
  line: z.int().optional(),
  /** Which finding of this rule in this file: the same when a gate finds the same again. Older receipts have none. */
  key: z.string().optional(),
  message: z.string(),
});
/** One thing that a gate has to say against the work. */
export type Finding = z.infer<typeof findingSchema>;

/** A finding that is made now: decisions go by its key, never by its message. */
export type KeyedFinding = Finding & { readonly key: string };

/** What a program printed, or a model said, may hold what nobody should read. */
export const withoutSecrets = (receipt: Receipt, redact: (text: string) => string): Receipt => ({
  ...receipt,
  ...(receipt.tail !== undefined && { tail: redact(receipt.tail) }),
  ...(receipt.how !== undefined && { how: redact(receipt.how) }),
  findings: receipt.findings.map((one) => ({
    ...one,
    ...(one.key !== undefined && { key: redact(one.key) }),
    message: redact(one.message),
  })),
});

export const receiptSchema = z.object({
  at: z.iso.datetime(),
  gate: z.enum(GATES),
  /** The task it was about; nothing when it was the whole story. */
  task: z.string().optional(),
  /** Of the code alone, without `.saga`: writing this down must not change it. */
  tree: objectId,
  isPassed: z.boolean(),
  ms: z.number().min(0),
  command: z.string().optional(),
  /** How it ended: `exit 1`, `no end within 600 s`. */
  how: z.string().optional(),
  exitCode: z.int().optional(),
  /** SHA-256 of everything that was printed, and the end of it. */
  outputHash: z.string().optional(),
  tail: z.string().optional(),
  findings: z.array(findingSchema).default([]),
  /** What a person set aside, and why: the rules for those who read it, the objections for what counts. */
  overridden: z
    .object({
      rules: z.array(z.string()),
      /** Each by its key (`objection-key.ts`). */
      objections: z.array(z.string()).optional(),
      why: z.string(),
      who: z.string(),
    })
    .optional(),
});
export type Receipt = z.infer<typeof receiptSchema>;
