/** The longest that a timer can be set to: some 25 days. Past it, one would fire at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;
