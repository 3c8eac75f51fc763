// The three values that are stored, apart from the schemas: hook scripts read them without a package.

export const STATUSES = ["pending", "in_progress", "completed"] as const;
export type Status = (typeof STATUSES)[number];

export const isStatus = (value: unknown): value is Status => STATUSES.some((one) => one === value);
