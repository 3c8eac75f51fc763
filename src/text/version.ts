/** Compares part by part: `2.1.9` is older than `2.1.33`. */
export function isAtLeast(version: string, oldest: string): boolean {
  // tmux has versions like `3.3a`, which counts as 3.3.
  const parts = version.split(".").map((part) => Number.parseInt(part, 10));
  for (const [at, wanted] of oldest.split(".").map(Number).entries()) {
    const has = parts[at] ?? 0;
    if (has !== wanted) return has > wanted;
  }
  return true;
}
