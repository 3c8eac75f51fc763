// A receipt: the record of a gate that ran, on which tree and with which result. It is part of the run's events, of
// the journal and of the pull request's text.

import * as z from "zod";
import { FINDING_RULES, type RULES } from "./rules.ts";

const GATES = ["check", "diff", "test", "review", "person"] as const;

const objectId = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, "is not an object id of git");

export type GateRule = (typeof RULES)[number];

const findingSchema = z.object({
  rule: z.enum(FINDING_RULES),
  file: z.string().optional(),
  line: z.int().optional(),
  /** A tester or reviewer gives none: then the message counts. */
  key: z.string().optional(),
  message: z.string(),
});
/** Something wrong in a diff. */
export type Finding = z.infer<typeof findingSchema>;

/** A new finding. Code decides by its key, never by its message. */
export type KeyedFinding = Finding & { readonly key: string };

/** The output of a program or a model may contain secrets. */
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
  task: z.string().optional(),
  // Without `.saga`, so that writing the receipt does not change the tree.
  tree: objectId,
  isPassed: z.boolean(),
  ms: z.number().min(0),
  command: z.string().optional(),
  how: z.string().optional(),
  exitCode: z.int().optional(),
  outputHash: z.string().optional(),
  tail: z.string().optional(),
  findings: z.array(findingSchema).default([]),
  overridden: z
    .object({
      rules: z.array(z.string()),
      // Decide what is overridden (`blocker-key.ts`); `rules` is for people.
      objections: z.array(z.string()).optional(),
      why: z.string(),
      who: z.string(),
    })
    .optional(),
});
export type Receipt = z.infer<typeof receiptSchema>;

export const RECEIPT_MEANINGS = {
  at: "When it was written.",
  gate: "Which gate: a check, the diff, the tester, the reviewer, a person.",
  task: "The task it was about; missing for the whole story.",
  tree: "The git tree of the code, without `.saga`.",
  isPassed: "Whether it passed.",
  ms: "How long it took.",
  command: "The command of a check.",
  how: "How it ended: `exit 1`, `did not finish within 600 s`.",
  exitCode: "The command's exit code.",
  outputHash: "SHA-256 of everything that was printed.",
  tail: "The end of that output.",
  findings: "What the gate found wrong.",
  "findings[].rule": "The rule; a person overrides it by this name.",
  "findings[].file": "The file.",
  "findings[].line": "The line.",
  "findings[].key":
    "Identifies the finding within its rule and file; stable when the message changes.",
  "findings[].message": "The finding, in a sentence.",
  overridden: "What a person overrode, why, and who.",
  "overridden.rules": "The rules.",
  "overridden.objections":
    "The overridden findings, each by rule, file and key. Later findings are not overridden.",
  "overridden.why": "The given reason.",
  "overridden.who": "Who overrode them.",
} satisfies Record<
  | keyof typeof receiptSchema.shape
  | `findings[].${keyof Finding}`
  | `overridden.${keyof NonNullable<Receipt["overridden"]>}`,
  string
>;
