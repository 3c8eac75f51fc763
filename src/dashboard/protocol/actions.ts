// What a person can do from the page, and the result. Types only.

import type { z } from "zod";
import type { actionSchema } from "./action-schema.ts";

export type PageAction = z.infer<typeof actionSchema>;

export type RunLimits = Pick<
  Extract<PageAction, { act: "run" | "resume" }>,
  "model" | "maxMinutes" | "maxCostUsd"
>;

type EditAction = Extract<PageAction, { act: "edit" }>;
export type DefinitionKind = EditAction["kind"];
export type FieldChange = EditAction["set"][number];
export type FieldValue = NonNullable<FieldChange["value"]>;

export type ActionResult =
  | { readonly isOk: true; readonly text: string; readonly json: unknown }
  | {
      readonly isOk: false;
      readonly message: string;
      readonly hint?: string | undefined;
      /** Ask this before repeating the action with `updateCheckout`. */
      readonly question?: string | undefined;
    };
