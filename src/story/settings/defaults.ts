// Not in sections.ts, because it is used where zod is not loaded.

export const DEFAULT_CHECK_MINUTES = 20;
