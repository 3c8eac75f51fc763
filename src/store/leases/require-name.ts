// The names that a lease may have. A name is also the name of a folder.

import { SagaError } from "../../errors.ts";

const LEASE_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9-]+)?$/;

export function requireLeaseName(name: string): void {
  if (LEASE_NAME.test(name)) return;
  throw new SagaError("bad-id", `${JSON.stringify(name)} is not the name of a lease.`);
}
