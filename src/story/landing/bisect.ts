// Finds the entry of a batch that turns its checks red. A batch of n entries has n candidates, one on top of the other:
// candidate k has the first k entries. Candidate 0 is the target itself. Pure: given what is known of the candidates,
// it says which one to check next.
//
// A check may be flaky, so one red result blames no entry: before an entry is removed, its candidate is checked twice.

/** Results of the checks on a candidate, oldest first. */
export type CandidateResults = ReadonlyMap<number, readonly boolean[]>;

export type BisectStep =
  | { readonly kind: "check"; readonly candidate: number }
  /** The first `green` entries land. The next one, if there is an `offender`, turns the checks red. */
  | { readonly kind: "found"; readonly green: number; readonly offender: number | undefined }
  /** The target fails its own checks: no entry is to blame. */
  | { readonly kind: "target-red" };

export function nextStep(size: number, results: CandidateResults): BisectStep {
  if (resultOf(results, size) === undefined) return { kind: "check", candidate: size };
  let [green, red] = [0, size + 1];
  for (let candidate = 1; candidate <= size; candidate++) {
    const isGreen = resultOf(results, candidate);
    if (isGreen === true) green = candidate;
  }
  for (let candidate = size; candidate > green; candidate--) {
    if (resultOf(results, candidate) === false) red = candidate;
  }
  if (red > size) return { kind: "found", green: size, offender: undefined };
  if (red - green > 1) return { kind: "check", candidate: Math.floor((green + red) / 2) };
  if (!isConfirmed(results, red)) return { kind: "check", candidate: red };
  if (green > 0 || resultOf(results, 0) === true) return { kind: "found", green, offender: red };
  return isConfirmed(results, 0) ? { kind: "target-red" } : { kind: "check", candidate: 0 };
}

const isConfirmed = (results: CandidateResults, candidate: number): boolean =>
  (results.get(candidate) ?? []).length > 1;

/** A candidate that was green once is green: what was red on the same tree is flaky. */
const resultOf = (results: CandidateResults, candidate: number): boolean | undefined =>
  results.get(candidate)?.includes(true);

/** Candidates whose checks were red and green. */
export const flakyCandidates = (results: CandidateResults): number[] =>
  [...results]
    .filter(([, known]) => known.includes(true) && known.includes(false))
    .map(([candidate]) => candidate);
