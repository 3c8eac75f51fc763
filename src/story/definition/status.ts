// The three stored values. Not in a schema's file, because hook scripts load no package.

export const STATUSES = ["pending", "in_progress", "completed"] as const;
export type Status = (typeof STATUSES)[number];

export const isStatus = (value: unknown): value is Status => STATUSES.some((one) => one === value);
