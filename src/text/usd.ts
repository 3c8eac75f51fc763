/** `$1.10`; an estimate is `~$1.10`, and what is not a cent `<$0.01`: it is not free. */
export function usd(amount: number, isEstimate = false, digits = 2): string {
  const least = 10 ** -digits;
  if (amount > 0 && amount < least) return `<$${least.toFixed(digits)}`;
  return `${isEstimate ? "~" : ""}$${amount.toFixed(digits)}`;
}
