/** Runs the actions of this process that share a key one after the other, in the order of the calls. */
export async function oneAtATime<R>(key: string, act: () => Promise<R>): Promise<R> {
  const result = (last.get(key) ?? Promise.resolve()).then(act);
  const end = result.then(
    () => undefined,
    () => undefined,
  );
  last.set(key, end);
  try {
    return await result;
  } finally {
    if (last.get(key) === end) last.delete(key);
  }
}

const last = new Map<string, Promise<void>>();
