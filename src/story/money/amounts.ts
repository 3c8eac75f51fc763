// Amounts of money by name: a day, a model.

export type Amounts = Readonly<Record<string, number>>;

/** A corrected estimate can be lower than before; no sum goes below 0. */
export function addAmounts(...all: readonly Amounts[]): Amounts {
  const sums: Record<string, number> = {};
  for (const [name, amount] of all.flatMap((one) => Object.entries(one))) {
    sums[name] = (Object.hasOwn(sums, name) ? (sums[name] ?? 0) : 0) + amount;
  }
  return Object.fromEntries(
    Object.entries(sums).flatMap(([name, sum]) => (rounded(sum) > 0 ? [[name, rounded(sum)]] : [])),
  );
}

export const negative = (amounts: Amounts): Amounts =>
  Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, -amount]));

/** Removes the rounding errors of sums of fractions. */
export const rounded = (amount: number): number => Math.round(amount * 1e9) / 1e9;
