/** Compares part by part: `2.1.9` is older than `2.1.33`. */
export function isAtLeast(version: string, oldest: string): boolean {
  const parts = version.split(".").map(Number);
  for (const [at, wanted] of oldest.split(".").map(Number).entries()) {
    const has = parts[at] ?? 0;
    if (has !== wanted) return has > wanted;
  }
  return true;
}
