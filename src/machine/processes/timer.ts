/** The longest timer that Node supports, about 25 days: a longer one fires at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;
