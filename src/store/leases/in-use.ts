// The refusals for what another process has, here or on another machine: its owner's name says where.

import { SagaError } from "../../errors.ts";

export const storyInUse = (storyId: string, owner = "another worker"): SagaError =>
  new SagaError("in-use", `${storyId} is already running (${owner}).`, {
    hint: `Wait for it to end, or stop it: \`saga stop ${storyId}\`. \`saga logs ${storyId} -f\` follows it.`,
  });

export const epicInUse = (epicId: string, owner: string): SagaError =>
  new SagaError("in-use", `The epic ${epicId} is already running (${owner}).`, {
    hint: `Wait for it to end, or stop it: \`saga epic stop ${epicId}\`.`,
  });
