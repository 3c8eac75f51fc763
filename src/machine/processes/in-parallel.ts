/** Most of the work is in other processes; more at once than this only makes each of them slower. */
const AT_ONCE = 4;

/** Acts on a few at once. The results are in the order of the items. The first error is thrown when all have ended. */
export async function inParallel<I, R>(
  items: readonly I[],
  act: (item: I) => Promise<R>,
  atOnce = AT_ONCE,
): Promise<R[]> {
  const left = [...items.entries()];
  const results: R[] = [];
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next; next = left.shift()) {
      const [at, item] = next;
      results[at] = await act(item);
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: atOnce }, work));
  const failed = ends.find((end) => end.status === "rejected");
  if (failed) throw failed.reason;
  return results;
}
