/** What people read for a pull request: a web address as it is, and `#2 (local, not on GitHub)` for the local record `local/2`. */
export const pullRequestName = (ref: string): string =>
  ref.replace(/^local\/(?<number>\d+)$/, "#$<number> (local, not on GitHub)");
