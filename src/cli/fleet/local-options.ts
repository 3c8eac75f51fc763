// Options that are about workers of this machine: with --fleet they would be ignored, so they are refused.

import { SagaError } from "../../errors.ts";

export function refuseLocalOptions<Options extends object>(
  options: Options,
  names: readonly (keyof Options & string)[],
  hint: string,
): void {
  const given = names.find((name) => options[name] !== undefined);
  if (given === undefined) return;
  const flag = `--${given.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  throw new SagaError("usage", `--fleet cannot be used with ${flag}.`, { hint });
}
