// Not in sections.ts, because they are used where zod is not loaded.

export const DEFAULT_CHECK_MINUTES = 20;
export const DEFAULT_PORTS = { firstPort: 42_000, ports: 10 } as const;
