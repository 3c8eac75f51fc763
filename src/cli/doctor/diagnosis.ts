// What a check of `saga doctor` answers.

import type { Environment } from "../../machine/processes/environment.ts";
import { FINDINGS } from "./findings.ts";

export interface Diagnosis {
  readonly name: string;
  /** `warn`: Saga works, but something is missing. */
  readonly verdict: "ok" | "warn" | "fail";
  readonly found: string;
  readonly fix?: string | undefined;
}

export interface DoctorContext {
  readonly cwd: string;
  readonly env: Environment;
  readonly userId: number | undefined;
}

export type DoctorCheck = (context: DoctorContext) => Promise<readonly Diagnosis[]>;

export const ok = (name: string, found: string): Diagnosis => ({ name, verdict: "ok", found });

/** `found` replaces the `…` in the text of a finding. */
export function finding(
  kind: keyof typeof FINDINGS,
  found = "",
  own: Partial<Diagnosis> = {},
): Diagnosis {
  const { name, verdict, found: text, fix } = FINDINGS[kind];
  return { name, verdict, found: text.replace("…", () => found), fix, ...own };
}
