// Whether this machine may push Saga's own refs: tried with a real one, because a dry run asks no hook and no rule of the
// server.

import { randomUUID } from "node:crypto";
import { SagaError } from "../../errors.ts";
import { pushCommit } from "../remote-branch.ts";
import { commitOf } from "../refs.ts";
import { reasonIn, type Repository } from "../repository.ts";

export async function requirePushRights({ git, remote }: Repository): Promise<void> {
  if (remote === undefined) {
    throw new SagaError("not-ready", "A fleet needs a remote, and this repository has none.", {
      hint: "Add one: `git remote add origin <address>`.",
    });
  }
  const head = await commitOf(git, "HEAD");
  const ref = `refs/saga/probe/${randomUUID()}`;
  const pushed = await pushCommit(git, remote, [`${head}:${ref}`]);
  if (!pushed.isOk) {
    throw new SagaError(
      "not-ready",
      `This machine cannot push to ${remote.name}: ${reasonIn(pushed.stderr)}`,
      { hint: "A member pushes branches, and refs below refs/saga. Check its rights there." },
    );
  }
  await pushCommit(git, remote, [`:${ref}`]);
}
