/** `$1.10`; with a mark where it is an estimate: `~$1.10`. */
export const usd = (amount: number, isEstimate = false, digits = 2): string =>
  `${isEstimate ? "~" : ""}$${amount.toFixed(digits)}`;
