// What went wrong and what to do about it, for whoever can only be told in one piece: an agent, a log.

import { messageOf, SagaError } from "../errors.ts";

export const sentences = (error: unknown): string =>
  error instanceof SagaError && error.hint !== undefined
    ? `${error.message} ${error.hint}`
    : messageOf(error);
