// What tells others, now and then, that its writer lives. A disk that takes nothing for a while must not be
// the end of the work: the process itself is what those on this machine judge by, and the next sign may
// be written again.

export const signsOfLife = (
  everyMs: number,
  ...signs: readonly (() => unknown)[]
): NodeJS.Timeout =>
  setInterval(() => {
    for (const give of signs) {
      try {
        give();
      } catch {
        // Full, read-only or gone: whoever does the work finds out, and says so.
      }
    }
  }, everyMs);
